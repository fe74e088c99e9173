"""Calls: of libraries by their name, of noise, of methods, of functions whose source is read."""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
import types
from dataclasses import dataclass
from typing import Any

from dpaudit.formal.lifting import rewriting, tensor_makers, tensors
from dpaudit.formal.lifting.awaiting import awaited, inner_coroutine, run_to_its_end
from dpaudit.formal.lifting.calibrations import result_of
from dpaudit.formal.lifting.canonical import LIBRARIES, canonical_name, own_name
from dpaudit.formal.lifting.containers import CLOCKS, contents_of, learn, reading
from dpaudit.formal.lifting.coroutines import Awaited
from dpaudit.formal.lifting.dispatch import expression, lifts, reference, refuse_held
from dpaudit.formal.lifting.draws import (
    Mismatch,
    legacy_draw,
    numpy_draw,
    python_draw,
    scipy_expression,
)
from dpaudit.formal.lifting.eager import listed
from dpaudit.formal.lifting.emits import passed
from dpaudit.formal.lifting.existing import existing
from dpaudit.formal.lifting.folding import chosen, code, folded, is_idle, setting
from dpaudit.formal.lifting.frames import copies_on_write, frame_call
from dpaudit.formal.lifting.functions import applied, lift_function, passed_streams
from dpaudit.formal.lifting.generators import (
    generator_kind,
    generator_made,
    is_instance,
    surely_generator,
)
from dpaudit.formal.lifting.known import is_plain, may_run
from dpaudit.formal.lifting.methods import exported, made, method_of, of_class, of_super, replaced
from dpaudit.formal.lifting.objects import is_users_class, namespace
from dpaudit.formal.lifting.own_exceptions import raised
from dpaudit.formal.lifting.partial import applied_partial, of_each, read_at_once
from dpaudit.formal.lifting.repeatable import not_repeatable
from dpaudit.formal.lifting.scope import Live, Scope, object_shape, resolve
from dpaudit.formal.lifting.shapes import LearnedError, Shape
from dpaudit.formal.lifting.streams import NUMPY_SEED, PYTHON_SEED, Kind
from dpaudit.formal.lifting.variadic import spread
from dpaudit.formal.lifting.wrappers import passed_on
from dpaudit.formal.program import (
    Attribute,
    Call,
    Closure,
    Constant,
    Draw,
    Expression,
    Function,
    Generator,
    Mapping,
    Name,
    Named,
    Place,
    Return,
    Sequence,
    Starred,
    Subscript,
)
from dpaudit.formal.unsupported import Unsupported

_REFUSED_WORDS = """
builtins.eval builtins.exec builtins.compile builtins.__import__ builtins.globals
builtins.locals builtins.vars builtins.setattr builtins.delattr builtins.input builtins.open
builtins.breakpoint numpy.random.set_state random.setstate
builtins.hash builtins.id builtins.super
numpy.ndarray numpy.datetime64 pandas.to_datetime
"""
_REFUSED = frozenset(_REFUSED_WORDS.split())
_MUTATING_WORDS = """
append appendleft extend extendleft insert pop popleft popitem remove discard clear update
setdefault sort reverse add fill put resize partition setfield itemset setflags __setitem__
intersection_update difference_update symmetric_difference_update rotate subtract
"""
_MUTATING = frozenset(_MUTATING_WORDS.split())


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """The arguments of a call."""

    positional: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...]
    node: ast.Call

    @property
    def both(self) -> tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]:
        return self.positional, self.keywords

    @property
    def values(self) -> tuple[Expression, ...]:
        return (*self.positional, *(value for _, value in self.keywords))


@lifts(Awaited)
def _awaited(node: Awaited, scope: Scope) -> Expression:
    return awaited(node, scope, _call)


@lifts(ast.Call)
def _call(node: ast.Call, scope: Scope) -> Expression:
    run = run_to_its_end(node, scope)
    if run is not None:
        return reference(run, scope)
    function = chosen(node.func, scope)
    if function is not node.func:
        return _call(ast.copy_location(ast.Call(function, node.args, node.keywords), node), scope)
    whole = applied_partial(node, scope)
    if whole is not None:
        return _call(whole, scope)
    whole = _piped(node, scope) or _applied(node, scope)
    if whole is not None:
        return _call(whole, scope)
    whole = read_at_once(node, scope)
    if whole is not None:
        return _call(whole, scope)
    each = of_each(node, scope)
    if each is not None:
        return expression(each, scope)
    made = generator_made(node, scope)
    if made is not None:
        kind = generator_kind(node, scope)
        if kind is not None:
            scope.lifter.note(made, kind)
        return made
    positional = tuple(reference(argument, scope) for argument in node.args)
    for argument, value in zip(node.args, positional, strict=True):
        _note_value(argument, value, scope)
    if id(node) in scope.lifter.texts:
        return Call(scope.place(node), "exception.text", positional)
    given = _Given(positional, _keywords(node, scope), node)
    live = resolve(node.func, scope) or code(node.func, scope)
    if live is not None:
        found = _call_live(live, given, scope)
        kind = generator_kind(node, scope)
        if kind is not None:
            scope.lifter.note(found, kind)
        return found
    if isinstance(node.func, ast.Attribute):
        return _method(node.func, given, scope)
    lambda_ = node.func if isinstance(node.func, ast.Lambda) and not given.keywords else None
    once = None if lambda_ is None else applied(lambda_, positional, scope)
    if once is not None:
        return Call(scope.place(node), "operator.call", (once, *positional))
    called = reference(node.func, scope)
    if scope.lifter.shape_of(called) is not None:
        return method_of(called, "__call__", *given.both, node, scope)
    refuse_held(given.values, node, scope)
    if not isinstance(node, Awaited) and inner_coroutine(node.func, scope) is not None:
        raise scope.refuse("a coroutine that is not awaited where it is made", node)
    return Call(scope.place(node), "operator.call", (called, *positional), given.keywords)


def _piped(node: ast.Call, scope: Scope) -> ast.Call | None:
    """Return ``f(x.copy(), ...)`` for ``x.pipe(f, ...)``, which frames and series have; else None.

    Since pandas 3 the function does not get the frame itself, which it may change.
    """
    match node.func:
        case ast.Attribute(value=of, attr="pipe") if node.args and object_shape(of, scope) is None:
            if not copies_on_write():
                return None
            function, *others = node.args
            if isinstance(function, ast.Lambda | ast.Name) and not isinstance(of, ast.Starred):
                copied = ast.Call(ast.Attribute(of, "copy", ast.Load()), [], [])
                piped = ast.Call(function, [copied, *others], node.keywords)
                return ast.fix_missing_locations(ast.copy_location(piped, node))
    return None


def _applied(node: ast.Call, scope: Scope) -> ast.Call | None:
    """Return ``x.apply(lambda v: f(v, low=0))`` for ``x.apply(f, low=0)``, else None.

    So a function is written where it is called: with `map` as well, and for the rows of a frame.
    """
    match node:
        case ast.Call(
            ast.Attribute(of, "apply" | "map" as attribute),
            [ast.Name() | ast.Attribute() as f],
            keywords,
        ) if object_shape(of, scope) is None and _is_of_one(f, scope):
            own = [keyword for keyword in keywords if keyword.arg in ("axis", "args")]
            given = [keyword for keyword in keywords if keyword not in own]
            more = next((keyword.value for keyword in own if keyword.arg == "args"), ast.Tuple([]))
            fixed = [keyword.value for keyword in given]
            plain = all(keyword.arg not in (None, *_OF_APPLY) for keyword in given)
            if not isinstance(more, ast.Tuple) or not plain or (keywords and attribute == "map"):
                return None
            if not all(_is_written(value, scope) for value in (*more.elts, *fixed)):
                return None
            item = f"item·{node.lineno}·{node.col_offset}"
            named = ast.arguments([], [ast.arg(item)], None, [], [], None, [])
            body = ast.Call(f, [ast.Name(item, ast.Load()), *more.elts], given)
            axis = [keyword for keyword in own if keyword.arg == "axis"]
            made = ast.Call(node.func, [ast.Lambda(named, body)], axis)
            return ast.fix_missing_locations(ast.copy_location(made, node))
    return None


_OF_APPLY = (
    "convert_dtype",
    "by_row",
    "raw",
    "result_type",
    "engine",
    "na_action",
    "engine_kwargs",
)


def _is_of_one(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a function of the user's, or one of Python, of a number."""
    live = resolve(node, scope)
    if live is None:
        return isinstance(node, ast.Attribute) and is_idle(node, scope)
    name = str(live.name)
    return (live.name is None and type(live.value) is types.FunctionType) or (
        name.startswith("math.") or name in ("builtins.int", "builtins.float", "builtins.abs")
    )


def _is_written(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is one value, whenever it is evaluated; a list is a new one."""
    if isinstance(node, ast.Tuple):
        return all(_is_written(item, scope) for item in node.elts)
    return isinstance(node, ast.Constant | ast.Name) or setting(node, scope) is not None


def _note_value(node: ast.expr, argument: Expression, scope: Scope) -> None:
    """Remember the number that an argument is, which the program computes with floats."""
    known = None if isinstance(argument, Constant | Name) else folded(node, scope)
    if known is not None and type(known.value) is float:
        scope.lifter.numbers[id(argument)] = known.value
        scope.lifter.kept.append(argument)


def _keywords(node: ast.Call, scope: Scope) -> tuple[tuple[str, Expression], ...]:
    found: list[tuple[str, Expression]] = []
    for keyword in node.keywords:
        if keyword.arg is not None:
            found.append((keyword.arg, reference(keyword.value, scope)))
            _note_value(keyword.value, found[-1][1], scope)
            continue
        live = resolve(keyword.value, scope)
        if live is None or not isinstance(live.value, dict) or not is_plain(live.value):
            raise scope.refuse("** in a call", node)
        found += [(str(k), Constant(scope.place(node), v)) for k, v in live.value.items()]
    if len({name for name, _ in found}) < len(found):
        raise scope.refuse("an argument that is given twice", node)
    return tuple(found)


def _method(function: ast.Attribute, given: _Given, scope: Scope) -> Expression:
    place, name = scope.place(given.node), function.attr
    if _is_super(function.value):
        return of_super(name, *given.both, given.node, scope)
    base = resolve(function.value, scope) if name == "__init__" else None
    if base is not None and is_users_class(base.value):
        return of_class(base.value, *given.both, given.node, scope)
    if name.startswith("__"):
        raise scope.refuse(f"the method {name!r}", function)
    if name in _MUTATING:
        scope.refuse_change(function.value)
    frozen = _frozen_draw(function, given, scope)
    if frozen is not None:
        return frozen
    is_object = object_shape(function.value, scope) is not None
    kind = None if is_object else generator_kind(function.value, scope)
    if kind is not None:
        return _of_generator(name, kind, expression(function.value, scope), given, scope)
    if name == "rvs":  # of a distribution that a variable holds
        scope.refuse_seeding(given.node, of="numpy.random")
    receiver = reference(function.value, scope)
    if name == "append" and len(given.values) == 1:
        put = scope.lifter.shape_of(given.values[0])
        learn(function.value, "list", put, scope)
    if tensors.kind(receiver, scope) is not None:
        return tensor_makers.method(receiver, name, *given.both, given.node, scope)
    if scope.lifter.shape_of(receiver) is not None:
        return method_of(receiver, name, *given.both, given.node, scope)
    refuse_held(given.values, given.node, scope)
    _validate_repeatable(f"method.{name}", given, scope)

    def variable(called: str) -> Expression:
        return expression(ast.copy_location(ast.Name(called, ast.Load()), given.node), scope)

    stands_for = frame_call(name, receiver, given.positional, given.keywords, place, variable)
    if stands_for is not None:
        return stands_for
    return Call(place, f"method.{name}", (receiver, *given.positional), given.keywords)


def _is_super(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "super"


def _of_generator(
    name: str, kind: Kind, generator: Expression, given: _Given, scope: Scope
) -> Expression:
    place = scope.place(given.node)
    named = _named(given, scope)
    if name == "seed" and not given.values:
        return Constant(place, None)  # the system seeds it anew
    try:
        if kind == "numpy":
            found = numpy_draw(name, given.positional, named)
        elif kind == "legacy":
            found = legacy_draw(name, given.positional, named, place)
        else:
            found = python_draw(name, given.positional, named, place)
    except Mismatch as mismatch:
        raise Unsupported(mismatch.what, place) from None
    if found is None:
        raise Unsupported(f"the generator's method {name!r}", place)
    return Draw(place, found[0], found[1], generator)


def _named(given: _Given, scope: Scope) -> dict[str, Expression]:
    starred = [a for a in given.positional if isinstance(a, Starred)]
    if starred and not (len(given.positional) == 1 and _is_shape(starred[0].value)):
        raise scope.refuse("* in a call that draws noise", given.node)
    return dict(given.keywords)


def _is_shape(node: Expression) -> bool:
    return isinstance(node, Attribute) and node.name == "shape"


_OF_DATACLASSES = (dataclasses.replace, dataclasses.asdict, dataclasses.astuple)


def _call_live(live: Live, given: _Given, scope: Scope) -> Expression:
    place, value = scope.place(given.node), live.value
    drawn = _seeding(value, given, scope) or _draw(value, given, scope)
    if drawn is not None:
        return drawn
    of_tensors = tensor_makers.called(value, *given.both, given.node, scope)
    if of_tensors is not None:
        return of_tensors
    if live.name == "builtins.divmod":
        return _divided(given, scope)
    if live.name == "operator.itemgetter" and all(isinstance(v, Constant) for v in given.values):
        return _lookup(given, scope)
    if live.name == "builtins.dict.fromkeys":
        display = _of_keys(given, scope)
        if display is not None:
            return display
    if live.name == "builtins.isinstance":
        known = _known_instance(given, scope)
        if known is not None:
            return known
    if isinstance(value, type) and issubclass(value, BaseException) and live.name is None:
        return raised(value, *given.both, place, scope)
    if is_users_class(value):
        return made(value, *given.both, place, scope)
    if any(value is each for each in _OF_DATACLASSES) and given.positional:
        of, *others = given.positional
        shape = scope.lifter.shape_of(of)
        if isinstance(shape, Shape) and dataclasses.is_dataclass(shape.cls):
            if value is dataclasses.replace:
                return replaced(of, tuple(others), given.keywords, given.node, scope)
            if len(given.values) == 1:
                named = value is dataclasses.asdict
                return exported(of, named=named, node=given.node, scope=scope)
    if live.name in ("types.SimpleNamespace", "argparse.Namespace") and not given.positional:
        names = tuple(name for name, _ in given.keywords)
        return made(namespace(names), (), given.keywords, place, scope)
    if live.name in CLOCKS and not given.values:
        return reading(place, scope)
    counts = live.name == "builtins.len" and len(given.values) == 1
    if counts and contents_of(given.values[0], scope) is not None:
        return Call(place, "builtins.len", given.positional, given.keywords)
    if not isinstance(value, types.FunctionType | types.MethodType | functools.partial):
        refuse_held(given.values, given.node, scope)
    if live.name is not None and any(tensors.kind(each, scope) for each in given.values):
        refuse_held(given.values, given.node, scope)
    if live.name in _REFUSED:
        raise scope.refuse(f"a call of {live.name}", given.node)
    if live.name is not None:
        _validate_repeatable(live.name, given, scope)
        return Call(place, live.name, given.positional, given.keywords)
    result = result_of(value, given.node, scope)
    if result is not None:
        return result
    return call_of(value, given.positional, given.keywords, place, scope)


def _lookup(given: _Given, scope: Scope) -> Expression:
    """Return ``operator.itemgetter(1)`` as ``lambda item: item[1]``; of several, as a tuple."""
    place = scope.place(given.node)
    if given.keywords or not given.positional:
        raise scope.refuse("a call of operator.itemgetter that raises", given.node)
    item = Name(place, "item")
    items = tuple(Subscript(place, item, index) for index in given.positional)
    value = items[0] if len(items) == 1 else Sequence(place, "tuple", items)
    return Closure(place, Function(place, "<lambda>", (item.id,), {}, (Return(place, value),)))


_UNCHANGING = (int, float, bool, str, type(None))


def _of_keys(given: _Given, scope: Scope) -> Mapping | None:
    """Return ``dict.fromkeys`` of known keys and a plain value as the dict that is displayed."""
    place = scope.place(given.node)
    match given.positional:
        case (keys,):
            value: Expression = Constant(place, None)
        case (keys, value):
            pass
        case _:
            return None
    if isinstance(keys, Constant) and type(keys.value) in (list, tuple):
        names = tuple(Constant(place, key) for key in keys.value)
    elif isinstance(keys, Sequence) and all(isinstance(each, Constant) for each in keys.items):
        names = tuple(each for each in keys.items if isinstance(each, Constant))
    else:
        return None
    plain = isinstance(value, Constant) and type(value.value) in _UNCHANGING
    if given.keywords or not plain or not all(_is_key(name.value) for name in names):
        return None
    return Mapping(place, tuple((name, value) for name in names))


def _is_key(value: object) -> bool:
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(_is_key, value))
    return type(value) in (int, str)


def _divided(given: _Given, scope: Scope) -> Expression:
    """Return quotient and rest, the operands evaluated once."""
    place = scope.place(given.node)
    if len(given.positional) != 2 or given.keywords:
        raise scope.refuse("divmod with these arguments", given.node)
    first: list[Expression] = []
    again: list[Expression] = []
    quiet = all(map(rewriting.is_quiet, given.positional))  # else one may change what another reads
    for i, operand in enumerate(given.positional):
        if quiet or isinstance(operand, Constant):
            first.append(operand)
            again.append(operand)
            continue
        kept = Name(place, f"·{given.node.lineno}_{given.node.col_offset}_{i}")
        first.append(Named(place, kept, operand))
        again.append(kept)
    quotient = Call(place, "operator.floordiv", tuple(first))
    return Sequence(place, "tuple", (quotient, Call(place, "operator.mod", tuple(again))))


def _known_instance(given: _Given, scope: Scope) -> Constant | None:
    """Return whether a generator is of a class, None where that is not what is asked."""
    arguments = given.node.args
    if len(arguments) != 2 or given.keywords:
        return None
    kind, shape = surely_generator(arguments[0], scope), object_shape(arguments[0], scope)
    of = given.positional[1]
    if not isinstance(of, Constant) or not isinstance(of.value, type | tuple):
        return None
    if shape is not None:
        return Constant(scope.place(given.node), issubclass(shape.cls, of.value))
    return None if kind is None else Constant(scope.place(given.node), is_instance(kind, of.value))


def _validate_repeatable(name: str, given: _Given, scope: Scope) -> None:
    why = None
    if name.startswith(("builtins.", "numpy.", "pandas.", "method.")):
        why = not_repeatable(name, given.positional, given.keywords)
    if why is not None:
        raise scope.refuse(why, given.node)


def _scipy_draw(
    of: Any, positional: tuple[Expression, ...], named: dict[str, Expression], node: ast.Call,
    scope: Scope,
) -> Expression:  # fmt: skip
    """Return what ``rvs`` of a distribution of `scipy.stats` draws."""
    place, state = scope.place(node), named.pop("random_state", None)
    asked = next((k.value for k in node.keywords if k.arg == "random_state"), None)
    generator: Expression = Generator(place, "global")
    if asked is not None and ast.unparse(asked) != "None":
        if generator_kind(asked, scope) is None or state is None:
            raise scope.refuse("a random_state that is no generator", node)
        generator = state
    else:
        scope.refuse_seeding(node, of="numpy.random")
    try:
        return scipy_expression(of.name, positional, named, generator, place)
    except Mismatch as mismatch:
        raise Unsupported(mismatch.what, place) from None


def _distribution(value: Any) -> bool:
    """Return whether a value is a distribution of `scipy.stats`."""
    if "scipy.stats" not in sys.modules:
        return False  # nobody has made one
    from scipy.stats import rv_continuous, rv_discrete

    return isinstance(value, rv_continuous | rv_discrete) and canonical_name(value) is not None


def _frozen_draw(function: ast.Attribute, given: _Given, scope: Scope) -> Expression | None:
    """Return what ``scipy.stats.norm(0, 1).rvs()`` draws; None for any other call."""
    made = function.value
    if function.attr != "rvs" or not isinstance(made, ast.Call):
        return None
    live = resolve(made.func, scope)
    if live is None or not _distribution(live.value):
        return None
    positional = tuple(expression(argument, scope) for argument in made.args)
    named = {**dict(_keywords(made, scope)), **_named(given, scope)}
    if given.positional:
        if len(given.positional) > 1 or "size" in named:
            raise scope.refuse("rvs with these arguments", given.node)
        named["size"] = given.positional[0]
    return _scipy_draw(live.value, positional, named, given.node, scope)


def _draw(value: Any, given: _Given, scope: Scope) -> Expression | None:
    """Return a draw from the generator that a library shares among all callers."""
    import random
    import secrets

    import numpy as np

    name, place = str(getattr(value, "__name__", "")), scope.place(given.node)
    owner = getattr(value, "__self__", None)
    if name == "rvs" and _distribution(owner):
        return _scipy_draw(owner, given.positional, _named(given, scope), given.node, scope)
    try:
        if owner is np.random.mtrand._rand:
            found = legacy_draw(name, given.positional, _named(given, scope), place)
        elif (
            owner is random._inst
            or isinstance(owner, random.SystemRandom)
            or (name in ("randbelow", "token_bytes") and value is getattr(secrets, name))
        ):
            found = python_draw(name, given.positional, _named(given, scope), place)
        else:
            return None
    except Mismatch as mismatch:
        raise Unsupported(mismatch.what, place) from None
    if found is None:
        raise scope.refuse(f"a call of {name!r} of a random module", given.node)
    fresh = isinstance(owner, random.SystemRandom) or owner is None
    seeds = PYTHON_SEED if owner is random._inst else NUMPY_SEED
    generator = (
        Generator(place, "fresh", library="python")
        if fresh
        else scope.of_all_callers(given.node, seeds)
    )
    return Draw(place, found[0], found[1], generator)


def _seeding(value: Any, given: _Given, scope: Scope) -> Expression | None:
    """Return a call that seeds what all callers share: what is drawn from then on is known."""
    import random

    import numpy as np

    if value is np.random.seed:
        seeds = NUMPY_SEED
    elif getattr(value, "__self__", None) is random._inst and value.__name__ == "seed":
        seeds = PYTHON_SEED
    else:
        return None
    place = scope.place(given.node)
    if not given.values:
        return Constant(place, None)  # the system seeds it anew
    (seed,) = given.positional if len(given.positional) == 1 else (None,)
    known = None if seed is None else setting(given.node.args[0], scope)
    if known is not None and not given.keywords:
        if known[1] is None:
            return Constant(place, None)  # the system seeds it anew
        seed = Constant(place, known[1])
    written = isinstance(seed, Constant) and type(seed.value) is int
    if given.keywords or not (written or isinstance(seed, Name)):
        raise scope.refuse(f"a call of {seeds} without a number that is written down", given.node)
    assert seed is not None
    if seeds in scope.lifter.unused:
        return Call(place, "generator.seed", (seed,))
    scope.lifter.seeded.add(seeds)
    return Call(place, seeds, (seed,))


def call_of(
    function: Any,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    scope: Scope,
) -> Call:
    """Return the call of a live function of the user's."""
    if isinstance(function, types.MethodType):
        held = function.__self__
        owner = existing(held, place, scope.lifter) or Constant(place, held)
        return call_of(function.__func__, (owner, *positional), keywords, place, scope)
    if isinstance(function, functools.partial):
        first = tuple(Constant(place, value) for value in function.args)
        given = dict(keywords)
        fixed = {k: Constant(place, v) for k, v in function.keywords.items() if k not in given}
        every = (*fixed.items(), *keywords)
        return call_of(function.func, (*first, *positional), every, place, scope)
    if isinstance(function, types.FunctionType):
        inner = passed_on(function, scope.lifter.sources)
        if inner is not None:
            return call_of(inner, positional, keywords, place, scope)
        positional, keywords = listed(function, positional, keywords)
        keywords = (*keywords, *passed_streams(function, positional, keywords, place, scope))
    arguments = (*positional, *(value for _, value in keywords))
    by_position, by_name = positional, keywords
    if isinstance(function, types.FunctionType):
        by_position, by_name = spread(function, positional, keywords)
    has_object = any(scope.lifter.shape_of(argument) for argument in arguments)
    draws = any(_draws_from(argument, scope) for argument in arguments)
    lifted: Function | str | None
    try:
        lifted = _function_called(function, by_position, by_name, place, scope)
        if id(lifted) in scope.lifter.partial and not (has_object or draws) and may_run(function):
            lifted = None
    except LearnedError:
        raise
    except Unsupported:
        if _is_being_read(function, scope) or has_object:  # a recursive call
            raise
        if draws or not may_run(function):
            module = str(getattr(function, "__module__", ""))
            if module.partition(".")[0] not in LIBRARIES:
                raise
            name = f"{module}.{getattr(function, '__name__', function)}"
            what = f"a call of {name:.80}, which is not known to be deterministic"
            raise Unsupported(what, place) from None
        lifted = None
    if lifted is None:
        return Call(place, Constant(place, function), positional, keywords)
    by_name = (*by_name, *passed(lifted, scope))
    shape = None if isinstance(lifted, str) else scope.lifter.results.get(id(lifted))
    return scope.lifter.with_shape(Call(place, lifted, by_position, by_name), shape)


def _is_being_read(function: Any, scope: Scope) -> bool:
    core = getattr(function, "__wrapped__", function)
    code = getattr(core, "__code__", None)
    return isinstance(code, types.CodeType) and code in scope.lifter.stack


def _function_called(
    function: Any,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
    place: Place,
    scope: Scope,
) -> Function | str:
    remembers = isinstance(function, functools._lru_cache_wrapper)
    inner = function.__wrapped__ if remembers else function
    if not isinstance(inner, types.FunctionType):
        name = own_name(function) or f"an object of {type(function).__name__}"
        raise Unsupported(f"a call of {name}", place)
    lifted = lift_function(inner, positional, keywords, place, scope)
    if remembers and (isinstance(lifted, str) or rewriting.draws(lifted)):
        raise Unsupported(f"noise drawn in {inner.__name__!r}, which remembers its results", place)
    return lifted


def _draws_from(argument: Expression, scope: Scope) -> bool:
    from dpaudit.formal.program import Name, walk

    return any(
        isinstance(node, Generator) or (isinstance(node, Name) and node.id in scope.generators)
        for node in walk(argument)
    )
