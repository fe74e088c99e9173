"""What is under audit: how to call it, and the source it came from."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Number
from types import CodeType
from typing import Any, TypeVar

import numpy as np

from dpaudit.ended import ended
from dpaudit.outputs.observed import EVERYTHING
from dpaudit.reference import SENT_AS, parse_reference, reference
from dpaudit.session import session_of

_F = TypeVar("_F", bound=Callable[..., Any])
MARK = "__dpaudit_vectorized__"
EXAMPLES = "__dpaudit_examples__"
EXIT_REMEDY = (
    'importing it ends the process; remove that call, or put it under if __name__ == "__main__":'
)
_RANDOM = ("rng", "generator", "random_state", "seed")
_REQUIRED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def vectorized(mechanism: _F) -> _F:
    """Mark a mechanism ``(data, size, rng)`` that returns ``size`` independent outputs at once.

    Parameters
    ----------
    mechanism : callable
        Called as ``mechanism(data, size, rng)``; returns an array whose first axis has length
        ``size``, or a list of ``size`` outputs.

    Returns
    -------
    callable
        The same object, marked.

    Notes
    -----
    This assumes that output i depends only on row i of every drawn array of random numbers. The
    outputs are then independent and identically distributed. Draw with ``size`` as the first axis.

    Examples
    --------
    >>> @vectorized
    ... def noisy_sum(data, size, rng):
    ...     return data.sum() + rng.laplace(scale=1.0, size=size)
    """
    setattr(mechanism, MARK, True)
    return mechanism


def marks_of(mechanism: Any) -> dict[str, Any]:
    """Return the marks of a mechanism: a function that is sent by its name loses them.

    One that is sent as a copy of itself is no longer what its module has under its name.

    Parameters
    ----------
    mechanism : Any
    """
    marks = {m: getattr(mechanism, m) for m in (MARK, EXAMPLES) if hasattr(mechanism, m)}
    if inspect.isfunction(mechanism) and "<" in mechanism.__qualname__:
        marks[SENT_AS] = reference(mechanism)
    return marks


def put_marks(mechanism: Any, marks: Mapping[str, Any]) -> None:
    """Mark a mechanism again; a bound method has the marks of its function.

    Parameters
    ----------
    mechanism : Any
    marks : mapping
        Of `marks_of`.
    """
    for mark, value in marks.items():
        with suppress(AttributeError):
            setattr(mechanism, mark, value)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A mechanism under audit.

    Attributes
    ----------
    function : callable
        Called as ``function(data)``, ``function(data, rng)`` where `takes_rng`, or
        ``function(data, size, rng)`` where `vectorized`.
    name : str
        For people.
    module, qualname : str
        Where its definition lives; empty where unknown.
    file : str or None
        Source file.
    line : int or None
        First line of the definition in `file`.
    source : str or None
        Text of the definition, without its callers and callees.
    source_hash : str
        SHA-256 of the definition and of the arguments that `functools.partial` fixed.
    takes_rng : bool
        Whether a `numpy.random.Generator` is passed in.
    vectorized : bool
        Whether one call returns many outputs.
    elsewhere : str
        The interpreter that runs it, where that is not this one (`dpaudit.Remote`).
    touches : frozenset of str
        What it may do beside returning: ``"print"``, ``"logging"``, ``"warnings"``, ``"files"``;
        and ``"clocks"`` where it reads clocks or addresses.
    observes : frozenset of str
        What leaves the trust boundary; see `dpaudit.audit`.
    folder : str or None
        A directory for files that it writes.
    clocks : str
        When clocks that it reads go on; see `dpaudit.outputs.clocks.Clocks`.
    """

    function: Callable[..., Any]
    name: str
    module: str
    qualname: str
    file: str | None
    line: int | None
    source: str | None
    source_hash: str
    takes_rng: bool
    vectorized: bool
    elsewhere: str = ""
    touches: frozenset[str] = frozenset()
    observes: frozenset[str] = EVERYTHING
    folder: str | None = None
    clocks: str = "looks"

    @property
    def mechanism(self) -> Callable[..., Any]:
        """What was given: `function` may pass its generator on by keyword, or run it to its end."""
        return unnamed(self.function)[0]

    @property
    def emits(self) -> bool:
        """Whether an output is a pair: what is returned, and what else leaves."""
        hidden = not {"return", "exceptions"} <= self.observes
        return bool(self.touches & self.observes) or (hidden and not self.vectorized)

    @property
    def observed(self) -> Callable[..., Any]:
        """Called as `function`; where that may emit texts, they are the output's second part."""
        return self.watched() if self.emits else self.alone

    @property
    def alone(self) -> Callable[..., Any]:
        """Called as `function`, and returns what that returns; files are kept away."""
        if "files" not in self.touches:
            return self.steady
        pair = self.watched()
        return functools.wraps(self.function)(lambda *given: pair(*given)[0])

    @property
    def steady(self) -> Callable[..., Any]:
        """Called as `function`; clocks and addresses tell nothing of the data."""
        if "clocks" not in self.touches or self.clocks == "real":
            return self.function
        from dpaudit.outputs.clocks import Clocks, steady
        from dpaudit.outputs.emitting import names_of

        return steady(self.function, Clocks(names_of(self.mechanism), self.clocks))

    def watched(self, **listening: Any) -> Callable[..., Any]:
        """Return a function that gives pairs: see `dpaudit.outputs.observed`.

        Parameters
        ----------
        **listening
            Its ``added`` and ``line``.
        """
        from dpaudit.outputs.clocks import Clocks
        from dpaudit.outputs.emitting import names_of
        from dpaudit.outputs.observed import observed

        return observed(
            self.function,
            self.observes,
            writes="files" in self.touches,
            folder=self.folder,
            clocks=Clocks(names_of(self.mechanism), self.clocks),
            **listening,
        )

    def touching(self, ways: frozenset[str]) -> Subject:
        """Return the subject that may take these ways out too.

        Parameters
        ----------
        ways : frozenset of str
            As in `touches`.
        """
        from dpaudit.outputs.files import folder_of_process

        folder = folder_of_process() if "files" in ways and self.folder is None else self.folder
        return replace(self, touches=self.touches | ways, folder=folder)

    def observing(self, observes: Sequence[str] | None) -> Subject:
        """Return the subject of which these ways out are looked at, all where None.

        Raises
        ------
        TypeError, ValueError
            Where one is not among them, there is none, or the mechanism is vectorized and more
            is left out than texts.
        """
        if observes is None:
            return self
        ways = frozenset(observes) if not isinstance(observes, str) else frozenset({observes})
        known = ", ".join(map(repr, sorted(EVERYTHING)))
        if not ways or not ways <= EVERYTHING:
            raise ValueError(f"`observes` must name some of {known}, got {observes!r}")
        if self.vectorized and not {"return", "exceptions"} <= ways:
            raise ValueError(
                f"`observes` of a vectorized mechanism must hold 'return' and 'exceptions', got "
                f"{observes!r}; audit the mechanism that gives one output"
            )
        return replace(self, observes=ways)

    def assumptions(self) -> tuple[str, ...]:
        """Return what is left out of the outputs, as a sentence for the report."""
        left = sorted(EVERYTHING - self.observes)
        said = {"return": "the returned value", "exceptions": "the class and text of exceptions"}
        words = {"print": "what is printed", "logging": "what is logged", "files": "written files"}
        named = [{**said, **words}.get(way, way) for way in left]
        unseen = (f"outputs that the observer does not see: {', '.join(named)}",) if named else ()
        if not inspect.isclass(self.function):
            return unseen
        return (
            f"the observer sees the object {self.name} with all its attributes; "
            "dpaudit.Session audits only what its methods return",
            *unseen,
        )

    @staticmethod
    def of(mechanism: Callable[..., Any] | str | Subject) -> Subject:
        """Return the subject of any mechanism.

        Parameters
        ----------
        mechanism : callable or str
            A function, closure, bound method, `functools.partial`, callable object, or
            ``"module:function"``.

        Raises
        ------
        TypeError
            Where it is not callable as ``(data)``, ``(data, rng)`` or, if marked as vectorized,
            ``(data, size, rng)``.
        ValueError
            Where a string is not of the form ``"module:function"``.
        ImportError
            Where the module does not import or lacks the function.
        """
        if isinstance(mechanism, Subject):
            return mechanism
        if isinstance(mechanism, str):
            mechanism = imported(mechanism)
        if hasattr(type(mechanism), "__dpaudit_subject__"):
            described: Subject = mechanism.__dpaudit_subject__()  # type: ignore[union-attr]
            return described
        if not callable(mechanism):
            own = _methods(type(mechanism))
            raise TypeError(
                f"the mechanism must be callable, got {mechanism!r:.80} of type "
                f"{type(mechanism).__name__}; pass a function (data) or (data, rng)"
                + (f", or a method of the object, such as {own[0]}" if own else "")
            )
        from dpaudit.outputs.emitting import touched
        from dpaudit.outputs.files import folder_of_process

        core = _definition(mechanism)
        name = str(getattr(core, "__name__", type(core).__name__))
        is_vectorized = any(getattr(layer, MARK, False) for layer in layers(mechanism))
        by_name, takes_rng = _calling(mechanism, name, is_vectorized)
        ends = runs_later(mechanism)
        if is_vectorized and ends:
            raise TypeError(
                f"mechanism {name!r} is vectorized, and a generator function or async; return an "
                "array of all outputs, or leave @dpaudit.vectorized out"
            )
        adapted = by_name or ends
        function = _Adapted(mechanism, by_name, ends) if adapted else mechanism
        file, line, source = _source(core)
        touches = touched(mechanism)
        if is_vectorized:
            touches &= {"clocks"}
        return Subject(
            function=function,
            name=name,
            module=str(getattr(core, "__module__", None) or ""),
            qualname=str(getattr(core, "__qualname__", name)),
            file=file,
            line=line,
            source=source,
            source_hash=_hash(mechanism, core, source),
            takes_rng=takes_rng,
            vectorized=is_vectorized,
            touches=touches,
            folder=folder_of_process() if "files" in touches else None,
        )


class _Adapted:
    """Passes the generator on by keyword, or runs what is made to its end."""

    __slots__ = ("_ends", "_function", "_parameter")

    def __init__(self, function: Callable[..., Any], parameter: str, ends: bool) -> None:
        self._function = function
        self._parameter = parameter
        self._ends = ends

    def __call__(self, data: Any, *rng: Any) -> Any:
        named = dict.fromkeys([self._parameter] if self._parameter else [], *rng)
        made = self._function(data, *(() if named else rng), **named)
        return ended(made) if self._ends else made


def unnamed(function: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """Return a mechanism as it was given, and the name by which it takes a generator, if any."""
    if isinstance(function, _Adapted):
        return function._function, function._parameter
    return function, ""


def runs_later(mechanism: Callable[..., Any]) -> bool:
    """Return whether a mechanism is a generator function or an async one, under what wraps it.

    Parameters
    ----------
    mechanism : callable
    """
    *_, innermost = layers(mechanism)
    code = innermost if inspect.isroutine(innermost) else getattr(type(innermost), "__call__", None)  # noqa: B004
    kinds = inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction
    return not inspect.isclass(innermost) and any(kind(code) for kind in kinds)


def imported(place: str) -> Any:
    """Return what ``"module:function"`` names.

    Parameters
    ----------
    place : str
        Or what `dpaudit.reference.reference` writes of a `functools.partial` whose arguments are
        literals: ``"functools.partial(module:function, epsilon=2.0)"``. Nothing is evaluated.

    Raises
    ------
    ValueError, ImportError
        As for `Subject.of`.
    """
    if place.startswith("functools.partial("):
        return _imported_partial(place)
    module_name, colon, path = place.partition(":")
    parts = path.split(".")
    if not colon or not module_name or not all(part.isidentifier() for part in parts):
        raise ValueError(
            f"the mechanism must read 'module:function', got {place!r}; "
            "for example 'mypackage.release:noisy_mean'"
        )
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise ImportError(
            f"module {module_name!r} of {place!r} does not import: "
            f"{type(error).__name__}: {error}{_exit_place(error)}; "
            f"{_import_remedy(module_name, error)}"
        ) from error
    for depth, part in enumerate(parts):
        if not hasattr(found, part):
            if depth:
                owner = f"{module_name}:{'.'.join(parts[:depth])}"
                raise ImportError(
                    f"{owner!r} has no attribute {part!r}; give {owner!r} itself, "
                    "or an attribute that it has"
                )
            names = [name for name in vars(found) if callable(getattr(found, name, None))]
            known = ", ".join(name for name in names if not name.startswith("_")) or "nothing"
            raise ImportError(f"module {module_name!r} has no {path!r}; it defines {known:.200}")
        found = getattr(found, part)
    return found


def _exit_place(error: BaseException) -> str:
    """Return where a module ended the process as it was imported."""
    trace = error.__traceback__
    if not isinstance(error, SystemExit) or trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" (at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"


def _import_remedy(module_name: str, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return EXIT_REMEDY
    if "/" in module_name or (
        module_name.endswith(".py") and isinstance(error, ModuleNotFoundError)
    ):
        return "give a module as import names it, such as 'mypackage.release', not its file"
    if isinstance(error, ModuleNotFoundError):
        return f"run where 'import {module_name}' works, or extend PYTHONPATH"
    return "mend it first"


def _imported_partial(place: str) -> functools.partial[Any]:
    parsed = parse_reference(place)
    given = None if parsed is None or parsed[2] is None else _literals(parsed[2])
    if parsed is None or given is None:
        raise ValueError(
            f"{place!r:.200} is no partial that can be made again; its arguments must be literals, "
            "as in 'functools.partial(mypackage.release:noisy_mean, epsilon=2.0)'"
        )
    args, keywords = given
    return functools.partial(imported(f"{parsed[0]}:{parsed[1]}"), *args, **keywords)


def _literals(arguments: str) -> tuple[list[Any], dict[str, Any]] | None:
    """Return the arguments of a call whose source they are, None where one is no literal."""
    call = ast.parse(f"f({arguments})", mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    try:
        args = [ast.literal_eval(value) for value in call.args]
        keywords = {given.arg: ast.literal_eval(given.value) for given in call.keywords}
    except (TypeError, ValueError):
        return None
    named = {name: value for name, value in keywords.items() if name is not None}
    return (args, named) if len(named) == len(call.keywords) else None


def layers(mechanism: Any) -> Iterator[Any]:
    """Yield the mechanism, what it wraps, and so on to the innermost definition.

    Parameters
    ----------
    mechanism : callable
    """
    seen: set[int] = set()
    while id(mechanism) not in seen:
        seen.add(id(mechanism))
        yield mechanism
        if isinstance(mechanism, functools.partial):
            mechanism = mechanism.func
        elif inspect.ismethod(mechanism):
            mechanism = mechanism.__func__
        elif not inspect.isclass(mechanism) and hasattr(mechanism, "__wrapped__"):
            mechanism = mechanism.__wrapped__


def _definition(mechanism: Any) -> Any:
    *_, core = layers(mechanism)
    if inspect.isroutine(core) or inspect.isclass(core):
        return core
    return type(core)  # a callable object: its class holds the code


def _calling(mechanism: Callable[..., Any], name: str, is_vectorized: bool) -> tuple[str, bool]:
    """Return whether a mechanism wants a generator, and by which name where not by position."""
    try:
        parameters = list(inspect.signature(mechanism).parameters.values())
    except (TypeError, ValueError):  # a builtin without a signature
        return "", is_vectorized
    _validate_bound(mechanism, parameters)
    positional = [p for p in parameters if p.kind in _REQUIRED]
    required = [p for p in positional if p.default is p.empty]
    by_name = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    shape = "(data, size, rng)" if is_vectorized else "(data) or (data, rng)"
    wanted = 3 if is_vectorized else 1
    most = 3 if is_vectorized else 2
    others = [p for p in by_name if p.name != "rng" or is_vectorized]
    if (len(positional) < wanted and not variadic) or len(required) > most or others:
        raise TypeError(
            f"mechanism {name!r} must take {shape}, got {name}{_signature(mechanism)}; "
            f"fix other parameters, as in `{_fixed(name, parameters)}`, or by functools.partial"
            + (", or mark it with @dpaudit.vectorized" if _has_size(required, most) else "")
        )
    _validate_first(positional, mechanism, name)
    if is_vectorized:
        return "", True
    given = len(required) == 2 or "rng" in _fixed_names(mechanism)
    if not given and any(p.name == "rng" and _is_seed(p) for p in parameters[1:]):
        return "", False  # called as it stands, its noise is that of the seed
    if len(required) == 2 or (len(positional) > 1 and positional[1].name == "rng"):
        if positional[1].name in _fixed_names(mechanism):
            return positional[1].name, True
        return "", True
    named = next((p for p in parameters if p.name == "rng" and p.kind in (
        p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)), None)  # fmt: skip
    if named is not None and named is not parameters[0]:
        return "rng", True
    return "", False


def _is_seed(parameter: inspect.Parameter) -> bool:
    default = parameter.default
    return isinstance(default, int | np.integer) and not isinstance(default, bool)


def _has_size(required: list[inspect.Parameter], most: int) -> bool:
    """Return whether parameters look like those of a vectorized mechanism that is not marked."""
    return most == 2 and len(required) == 3 and "size" in (p.name for p in required)


def _fixed(name: str, parameters: Sequence[inspect.Parameter]) -> str:
    """Return a lambda that fixes the parameters of a mechanism beside its data and generator."""
    last = "f" if name.endswith("<lambda>") else name.split(".")[-1]
    names = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD and p.name != "self"]
    taken = "data, rng" if "rng" in names or not names else "data"
    given = ["data"] + [f"{n}={'rng' if n == 'rng' else '…'}" for n in names[1:]]
    return f"lambda {taken}: {last}({', '.join(given)})"


def _validate_bound(mechanism: Any, parameters: list[inspect.Parameter]) -> None:
    """Refuse a method that has no object, whose first parameter would get the dataset."""
    owner, _, method = getattr(mechanism, "__qualname__", "").rpartition(".")
    if inspect.isfunction(mechanism) and owner and parameters and parameters[0].name == "self":
        kind = owner.rpartition(".")[2]
        raise TypeError(
            f"mechanism {owner}.{method} is a method without an object; {_factory(kind, method)}"
        )


def _factory(kind: str, method: str) -> str:
    return (
        "write a function that makes the object and calls it, such as "
        f"def mechanism(data, rng): return {kind}(…).{method}(…)"
    )


def _methods(kind: type) -> list[str]:
    """Return the names of the public methods that a class defines."""
    names = (name for name, value in vars(kind).items() if inspect.isfunction(value))
    return [name for name in names if not name.startswith("_")]


def _validate_first(positional: list[inspect.Parameter], mechanism: Any, name: str) -> None:
    """Refuse a first parameter that is no dataset, as its default or its name shows."""
    if not positional or positional[0].default is inspect.Parameter.empty:
        return
    first = positional[0]
    numeric = isinstance(first.default, Number | np.generic | np.random.Generator)
    if numeric or first.name in _RANDOM:
        remedy = f"wrap it, such as lambda data: {name}(…), or make the dataset its first parameter"
        if inspect.isclass(mechanism):
            remedy = _factory(name, (_methods(mechanism) or ["release"])[0])
        raise TypeError(
            f"mechanism {name!r} would get the dataset as its first parameter "
            f"{first.name}={first.default!r:.80}, which is a setting; {remedy}"
        )


def _fixed_names(mechanism: Any) -> set[str]:
    return set(mechanism.keywords) if isinstance(mechanism, functools.partial) else set()


def _signature(mechanism: Callable[..., Any]) -> str:
    return str(inspect.signature(mechanism)).partition(" ->")[0]


def _source(core: Any) -> tuple[str | None, int | None, str | None]:
    try:
        file = inspect.getsourcefile(core) or inspect.getfile(core)
    except (TypeError, OSError):
        return None, None, None
    plan = session_of(file)
    if plan is not None:
        return *plan.place, inspect.getsource(core)
    try:
        lines, line = inspect.getsourcelines(core)
    except (TypeError, OSError, SyntaxError, IndentationError):
        code = getattr(core, "__code__", None)
        return file, getattr(code, "co_firstlineno", None), None
    return file, max(1, line), "".join(lines)


def _hash(mechanism: Any, core: Any, source: str | None) -> str:
    sha = hashlib.sha256()
    code = getattr(core, "__code__", None)
    if source is not None:
        sha.update(source.encode("utf-8", "backslashreplace"))
    elif isinstance(code, CodeType):
        sha.update(code.co_code)
        sha.update(repr([c for c in code.co_consts if not isinstance(c, CodeType)]).encode())
    else:
        sha.update(
            f"{getattr(core, '__module__', '')}.{getattr(core, '__qualname__', '')}".encode()
        )
    for layer in layers(mechanism):
        if isinstance(layer, functools.partial):
            for value in (*layer.args, *sorted(layer.keywords.items())):
                if not callable(value):
                    sha.update(_text(value).encode("utf-8", "backslashreplace"))
    return sha.hexdigest()


def _text(value: object) -> str:
    from dpaudit.outputs.text import describe

    return describe(value)
