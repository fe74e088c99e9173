"""Source of the live function -> program.

Names resolve to the live objects that the function would find: its closure's cells, its globals,
its builtins. Library functions go by their canonical name (`dpaudit.formal.lifting.canonical`);
functions of the user's are read in turn. A call of anything else, such as a local variable, is
``operator.call`` with what is called as its first argument.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

# Imported for their handlers, in the order of the package.
from dpaudit.formal.lifting import calls, expressions
from dpaudit.formal.lifting.functions import read
from dpaudit.formal.lifting.known import is_plain
from dpaudit.formal.lifting.scope import Lifter, is_container, is_generator
from dpaudit.formal.lifting.shapes import Learned, LearnedError, is_setting, is_table
from dpaudit.formal.lifting.source import default_values
from dpaudit.formal.lifting.streams import Seeding
from dpaudit.formal.lifting.typed import typed
from dpaudit.formal.lifting.variadic import is_variadic, names_of_given
from dpaudit.formal.lifting.wrappers import passed_on
from dpaudit.formal.program import Constant, Function, Generator, Place, Program, is_weighted, walk
from dpaudit.formal.unsupported import Unsupported
from dpaudit.outputs.observed import EVERYTHING
from dpaudit.subject import Subject, unnamed
from dpaudit.worker.quiet import float_errors_raise

__all__ = ["assumptions", "lift"]
_HANDLERS = (calls, expressions)


@dataclass(slots=True)
class _Target:
    """The function that runs in the end, and what was fixed on the way to it."""

    function: types.FunctionType
    first: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)


def lift(
    mechanism: Callable[..., Any] | str | Subject,
    *,
    symbolic: Sequence[str] = (),
    observes: Iterable[str] | None = None,
) -> Program:
    """Return the program of a mechanism.

    Parameters
    ----------
    mechanism : callable, str or Subject
        As for `dpaudit.audit`. Parameters without a value, other than data and generator, are
        symbolic.
    symbolic : sequence of str, optional
        Parameters that are to be symbolic although they have a value.
    observes : iterable of str, optional
        What leaves the trust boundary: see `dpaudit.audit`. Unless given, what the subject says.

    Returns
    -------
    Program
        Of a mechanism marked as vectorized, with ``size`` fixed at 1.

    Raises
    ------
    Unsupported
        Where the source cannot be had, is not what runs, or holds what is not lifted.
    """
    called, takes_rng, is_vectorized, by_name = _calling(mechanism)
    target = _target(called)
    code = target.function.__code__
    place = Place(code.co_filename, code.co_firstlineno)
    if float_errors_raise():
        raise Unsupported("errors of floats that raise an exception or call a function "
                          "(numpy.seterr), in this process", place)  # fmt: skip
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    free = [n for n in parameters[len(target.first) : code.co_argcount] if n not in target.named]
    beyond: tuple[str, ...] = ()
    if not free and not target.named and is_variadic(target.function):
        beyond = names_of_given(3 if is_vectorized else 1 + takes_rng)
        beyond = beyond if by_name is None else names_of_given(1, by_name)
        parameters, free = (*parameters, *beyond), list(beyond)
    if not free:
        raise Unsupported("no parameter takes the data", place)
    values = dict(zip(parameters, target.first, strict=False)) | target.named
    rng = _rng_name(parameters, free, values, takes_rng, is_vectorized, by_name)
    if is_vectorized:
        values[free[1]] = 1
    live = {name: value for name, value in values.items() if not is_plain(value)}
    live |= {
        name: default
        for name, default in default_values(target.function).items()
        if not (is_plain(default) or is_generator(default))
        and name not in (*values, *symbolic, free[0], rng)
    }
    shared = frozenset(name for name, value in values.items() if is_container(value))
    settings = {
        name: value
        for name, value in {**default_values(target.function), **values}.items()
        if (is_setting(value) or is_table(value)) and name not in (*symbolic, free[0], rng)
    }
    generators: Any = {} if rng is None else {rng: "numpy"}
    given = generators, live, rng, shared, settings, None, beyond
    said = mechanism.observes if isinstance(mechanism, Subject) else EVERYTHING
    leaves = said if observes is None else frozenset(observes)
    begun = functools.partial(Lifter, entry=code, observes=leaves)
    lifter, entry = _read_anew(target, begun, given, prints=False)
    unused = frozenset(lifter.seeded - lifter.drawn)
    if unused:  # generators of which nothing is drawn
        begun = functools.partial(begun, unused=unused)
        lifter, entry = _read_anew(target, begun, given, prints=False)
    if lifter.prints:  # functions that raise are told so
        lifter, entry = _read_anew(target, begun, given, prints=True)
    lifter.validate_constants()
    if lifter.clocks and id(entry) in lifter.results:
        raise Unsupported("an object that may hold a reading of the clock", lifter.clocks[0])
    known = {name: Constant(place, value) for name, value in values.items()}
    fixed = {n: c for n, c in entry.defaults.items() if n not in (free[0], rng)} | known
    fixed = {name: constant for name, constant in fixed.items() if name not in symbolic}
    apart = {free[0], rng, *fixed}
    entry = typed(entry, {name: constant.value for name, constant in fixed.items()})
    others = tuple(name for name in entry.parameters if name not in apart)
    return Program(
        entry, free[0], rng, fixed, others, lifter.sources, lifter.prints, lifter.weighs,
        (*map(_not_run, lifter.idle), *lifter.tables),
    )  # fmt: skip


def _read_anew(
    target: _Target, begun: Callable[..., Lifter], given: Any, *, prints: bool
) -> tuple[Lifter, Function]:
    """Return the function that is read, from the start wherever more is learned on the way."""
    learned: Learned = {}
    while True:
        lifter = begun(dict(target.sources), prints=prints, learned=learned)
        try:
            return lifter, read(target.function, lifter, *given)
        except LearnedError as more:
            learned = {**learned, **more.learned}


def _not_run(seeding: Seeding) -> str:
    """Return what is assumed of a function that seeds, and that nothing is seen to call."""
    place = f"{seeding.file}:{seeding.part.line}"
    return f"nobody calls `{seeding.part.name}` of {place}, which seeds a generator, beforehand"


def assumptions(program: Program) -> tuple[str, ...]:
    """Return what the lift takes for granted about values that could change, as sentences."""
    said: dict[str, None] = {}
    for node in walk(program.entry):
        value = node.value if isinstance(node, Constant) else None
        if isinstance(value, list | dict | set) or type(value).__name__ == "ndarray":
            kind = type(value).__name__
            said[f"nothing changes the {kind} that {node.place} reads"] = None
        if isinstance(node, Generator) and node.origin == "global":
            said["nobody seeds a generator that outlives the call, or reads its state"] = None
    said |= dict.fromkeys(program.assumed)
    if program.weighs and not is_weighted(program.entry):
        said["weights of a choice that are exponentials neither overflow nor all vanish"] = None
    return tuple(said)


def _calling(
    mechanism: Callable[..., Any] | str | Subject,
) -> tuple[Any, bool, bool, str | None]:
    """Return the callable, whether it takes a generator, or many outputs, and by which name."""
    try:
        subject = Subject.of(mechanism)
    except TypeError:
        if not callable(mechanism):
            raise
        return mechanism, False, False, None  # symbolic parameters: read off the signature
    by_name = unnamed(subject.function)[1] or None
    return subject.mechanism, subject.takes_rng, subject.vectorized, by_name


def _target(called: Any) -> _Target:
    """Return the function whose code runs, through partials and bound methods."""
    first: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    sources: dict[str, str] = {}
    while True:
        if isinstance(called, types.FunctionType):
            inner = passed_on(called, sources)
            if inner is None:
                return _Target(called, first, named, sources)
            called = inner
        elif isinstance(called, functools.partial):
            first, named = (*called.args, *first), {**called.keywords, **named}
            called = called.func
        elif isinstance(called, types.MethodType):
            first, called = (called.__self__, *first), called.__func__
        elif isinstance(called, functools._lru_cache_wrapper):
            raise Unsupported("a mechanism that remembers its results (functools.cache)")
        elif isinstance(called, type):
            raise Unsupported(f"the class {called.__name__} as a mechanism")
        elif (method := vars(type(called)).get("__call__")) and inspect.isfunction(method):
            first, called = (called, *first), method
        else:
            name = getattr(called, "__qualname__", type(called).__name__)
            raise Unsupported(f"{name!r} has no Python source")


def _rng_name(
    parameters: Sequence[str],
    free: list[str],
    values: dict[str, Any],
    takes_rng: bool,
    is_vectorized: bool,
    by_name: str | None,
) -> str | None:
    if by_name is not None:
        return by_name
    if is_vectorized:
        return free[2]
    if takes_rng:
        return free[1]
    return "rng" if "rng" in parameters and "rng" not in values and free[0] != "rng" else None
