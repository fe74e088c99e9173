"""Calls of functions: run for real on what is known, by a rule on what is not."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.domain import (
    Array,
    Both,
    ClosureValue,
    DictValue,
    Foreign,
    FunctionValue,
    Known,
    ListValue,
    Number,
    Table,
    Tuple,
    Value,
    constant,
    fresh,
    is_public,
    source_of,
)
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk

# In terms, one name for what computes the same.
SYNONYMS = {
    "numpy.add": "operator.add",
    "numpy.subtract": "operator.sub",
    "numpy.multiply": "operator.mul",
    "numpy.divide": "operator.truediv",
    "numpy.true_divide": "operator.truediv",
    "numpy.floor_divide": "operator.floordiv",
    "numpy.remainder": "operator.mod",
    "numpy.negative": "operator.neg",
    "numpy.less": "operator.lt",
    "numpy.less_equal": "operator.le",
    "numpy.greater": "operator.gt",
    "numpy.greater_equal": "operator.ge",
    "numpy.equal": "operator.eq",
    "numpy.not_equal": "operator.ne",
    "numpy.matmul": "operator.matmul",
    "numpy.power": "operator.pow",
    "numpy.bitwise_and": "operator.and_",
    "numpy.bitwise_or": "operator.or_",
    "numpy.bitwise_xor": "operator.xor",
    "numpy.absolute": "builtins.abs",
    "math.fabs": "builtins.abs",
    "numpy.fabs": "builtins.abs",
    "numpy.amax": "numpy.max",
    "numpy.amin": "numpy.min",
    "builtins.pow": "operator.pow",
    "math.pow": "operator.pow",
}
_IN_PLACE = {
    f"operator.i{word}": f"operator.{word}{'_' if word in ('and', 'or') else ''}"
    for word in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift",
    )
}  # fmt: skip
_HEADS = {
    "operator.lt": "lt", "operator.le": "le", "operator.gt": "gt", "operator.ge": "ge",
    "operator.eq": "eq", "operator.ne": "ne", "operator.not_": "not", "operator.and_": "and",
    "operator.or_": "or", "operator.invert": "invert", "numpy.logical_not": "invert",
}  # fmt: skip
_PURE_BUILTINS = frozenset({
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float",
    "format", "frozenset", "int", "isinstance", "issubclass", "len", "list", "map", "max",
    "min", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum",
    "tuple", "type", "zip", "bytes", "ord", "chr", "bin", "hex", "callable",
})  # fmt: skip
_PURE_MODULES = frozenset({
    "math", "operator", "numpy", "scipy", "fractions", "statistics", "itertools", "functools",
    "cmath", "decimal", "collections",
})  # fmt: skip
_MUTATING = frozenset({
    "append", "extend", "insert", "pop", "popleft", "remove", "clear", "update", "setdefault",
    "sort", "reverse", "add", "discard", "fill", "put", "resize", "appendleft",
})  # fmt: skip


@dataclass(slots=True)
class Application:
    """One call: what rules look at."""

    name: str
    args: list[Value]
    keywords: dict[str, Value]
    place: Place
    walk: Walk
    notes: list[str] = field(default_factory=list)

    def refuse(self, what: str) -> NoReturn:
        """Raise `Unsupported` here."""
        raise Unsupported(what, self.place)

    def bind(self, *names: str, required: int = 1) -> list[Value | None]:
        """Return the arguments by the names that the function gives them, None where not passed.

        Raises
        ------
        Unsupported
            For other arguments.
        """
        if len(self.args) > len(names):
            self.refuse(f"{len(self.args)} arguments of {self.name}")
        values: list[Value | None] = [*self.args, *[None] * (len(names) - len(self.args))]
        for name, value in self.keywords.items():
            if name not in names:
                self.refuse(f"the argument `{name}` of {self.name}")
            at = names.index(name)
            if values[at] is not None:
                self.refuse(f"`{name}` of {self.name} given twice")
            values[at] = value
        if any(value is None for value in values[:required]):
            self.refuse(f"{self.name} with {len(self.args)} arguments")
        return values

    def known(self, value: Value | None, default: Any = None) -> Any:
        """Return the Python object that a public constant is.

        Raises
        ------
        Unsupported
            Where it is not known.
        """
        if value is None:
            return default
        try:
            return concrete(value)
        except NotConcreteError:
            self.refuse(f"an argument of {self.name} that is not known")

    def redo(self, name: str, *args: Value, **keywords: Value) -> Value:
        """Return the value of another call, at the same place."""
        return apply(self.walk, name, list(args), keywords, self.place)


class NotConcreteError(Exception):
    """The value is not known as a Python object."""


def concrete(value: Value, side: str | None = None) -> Any:
    """Return the Python object that a value is; of two, that of one side.

    Raises
    ------
    NotConcreteError
        Where it is not known.
    """
    match value:
        case Known(value=object_):
            return object_
        case Number() if value.constant:
            return value.value
        case Number(expr=expr) if expr is not None and not expr.free_symbols:
            return float(expr)  # what the code holds is near it; only running code asks for it
        case Tuple(items=items):
            return tuple(concrete(item, side) for item in items)
        case ListValue(items=items):
            return [concrete(item, side) for item in items]
        case DictValue(items=items):
            return {key: concrete(item, side) for key, item in items.items()}
        case Both() if side is not None:
            return getattr(value, side)
        case FunctionValue(function=function):
            return function
    raise NotConcreteError


def apply(
    walk: Walk, name: str, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    """Return the value of a call of a library's function.

    Raises
    ------
    Unsupported
        Where no rule is known.
    """
    from dpaudit.formal.refine import narrowed
    from dpaudit.formal.relations import settled
    from dpaudit.formal.rules import EXACT, RULES

    name = _IN_PLACE.get(name, name)
    name = SYNONYMS.get(name, name)
    call = Application(name, args, keywords, place, walk)
    everything = [*args, *keywords.values()]
    if any(_has_foreign(value) for value in everything):
        value = walk.hooks.call(call)
        if value is not None:
            return value
    value = _run(call, everything)
    if value is None:
        call.args = [settled(v) for v in args]
        call.keywords = {k: settled(v) for k, v in keywords.items()}
        if any(isinstance(v, Foreign) for v in everything):
            call.refuse(f"{name} of noise")
        for rule in RULES.get(name, ()):
            found = rule.apply(call)
            if found is not None:
                value = _finished(call, found)
                walk.steps.append(rule.step(call, value))
                break
    if value is None and name in EXACT:
        value = _run(call, everything, exact=False)
    if value is None:
        call.refuse(f"no rule for {_shown(call)}")
    term = getattr(value, "term", None)
    if term is not None and term not in walk.values:
        walk.values[term] = value
    return narrowed(walk, value)


def apply_value(
    walk: Walk, function: Any, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    """Return the value of a call of a function that is a value."""
    if isinstance(function, str):
        return apply(walk, function, args, keywords, place)
    if isinstance(function, ir.Function):
        return walk.call(function, args, keywords, place)
    if isinstance(function, ClosureValue):
        return walk.call(function.function, args, keywords, place, function.frame)
    if isinstance(function, ir.Constant):
        function = FunctionValue(function.value)
    if isinstance(function, Known):
        function = FunctionValue(function.value)
    if isinstance(function, Foreign):
        raise Unsupported("a call of noise", place)
    if not isinstance(function, FunctionValue):
        raise Unsupported("a call of something that is no function", place)
    return _call_object(walk, function.function, args, keywords, place)


def _call_object(
    walk: Walk, function: Any, args: list[Value], keywords: dict[str, Value], place: Place
) -> Value:
    from dpaudit.formal.lifting.canonical import canonical_name

    if isinstance(function, ir.Function):
        return walk.call(function, args, keywords, place)
    if isinstance(function, functools.partial):
        fixed = {k: constant(v) for k, v in function.keywords.items()}
        first = [constant(v) for v in function.args]
        return _call_object(walk, function.func, [*first, *args], {**fixed, **keywords}, place)
    name = canonical_name(function)
    if name is not None:
        return apply(walk, name, args, keywords, place)
    call = Application(getattr(function, "__name__", "function"), args, keywords, place, walk)
    everything = [*args, *keywords.values()]
    if all(is_public(value) for value in everything):
        try:
            given = [concrete(v) for v in args], {k: concrete(v) for k, v in keywords.items()}
        except NotConcreteError:
            pass
        else:
            value = _really(call, lambda: function(*given[0], **given[1]))
            walk.steps.append(ran(call, value))
            return value
    from dpaudit.formal.lift import lift_callable

    lifted = lift_callable(function)
    if isinstance(lifted, str):
        return apply(walk, lifted, args, keywords, place)
    if isinstance(lifted, ir.Constant):
        raise Unsupported(f"a call of {lifted.value!r:.60}, whose source cannot be read", place)
    return walk.call(lifted, args, keywords, place)


def _has_foreign(value: Value) -> bool:
    match value:
        case Foreign():
            return True
        case Tuple(items=items) | ListValue(items=items):
            return any(_has_foreign(item) for item in items)
        case DictValue(items=items):
            return any(_has_foreign(item) for item in items.values())
        case Table(columns=columns):
            return any(_has_foreign(column) for column in columns.values())
    return False


def _run(call: Application, everything: list[Value], *, exact: bool = True) -> Value | None:
    """Return what the call really returns, None where an argument is not known."""
    from dpaudit.formal.rules import EXACT

    if exact and call.name in EXACT and all(isinstance(v, Number) or _truth(v) for v in everything):
        return None
    function = implementation(call.name)
    if function is None:
        return None
    sides = ("left", "right") if any(_has_both(v) for v in everything) else ("left",)
    results = []
    try:
        for side in sides:
            args = [concrete(v, side) for v in call.args]
            keywords = {k: concrete(v, side) for k, v in call.keywords.items()}
            results.append((args, keywords))
    except NotConcreteError:
        return None
    values = [
        _result(call, functools.partial(function, *args, **keywords)) for args, keywords in results
    ]
    if any(_shared(given, value) for given, value in zip(results, values, strict=True)):
        return None  # a copy would not change when the argument does
    if len(values) == 1:
        value = constant(values[0])
        return _with_term(call, value)
    if _equal(values[0], values[1]):
        return constant(values[0])
    return Both(values[0], values[1])


def _has_both(value: Value) -> bool:
    match value:
        case Both():
            return True
        case Tuple(items=items) | ListValue(items=items):
            return any(map(_has_both, items))
        case DictValue(items=items):
            return any(map(_has_both, items.values()))
    return False


def _shared(given: Any, value: Any) -> bool:
    """Whether a result holds a list or dict of the arguments, or one of its own twice."""
    own = {id(part) for part in _containers(given)}
    if isinstance(value, type({}.items()) | type({}.values()) | type({}.keys())):
        return bool(own)
    if not isinstance(value, list | tuple | dict):
        return False
    held = [id(part) for part in _containers(value)]
    return len(set(held)) < len(held) or not own.isdisjoint(held)


def _containers(value: Any) -> Iterator[Any]:
    """Yield the lists and dicts in an object that may change."""
    if isinstance(value, list | dict):
        yield value
    if isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers(item)


def _truth(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, bool)


def _really(call: Application, thunk: Callable[[], Any]) -> Value:
    return constant(_result(call, thunk))


def _result(call: Application, thunk: Callable[[], Any]) -> Any:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = thunk()
    except Exception as error:
        call.refuse(f"{call.name} raises {type(error).__name__}: {error}")
    if hasattr(result, "__next__"):
        result = list(result)
    return result


def _equal(one: Any, other: Any) -> bool:
    try:
        if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
            same = bool(np.array_equal(one, other)) and one.dtype == other.dtype
            return same and (one.dtype.hasobject or one.tobytes() == other.tobytes())
        # [1], [1.0] and [True] are equal, and not the same output.
        return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)
    except (TypeError, ValueError, AttributeError):
        return False


@functools.cache
def implementation(name: str) -> Callable[..., Any] | None:
    """Return the function of a canonical name where running it has no effects."""
    module, _, rest = name.partition(".")
    if module == "method":
        if rest in _MUTATING:
            return None
        return lambda receiver, *args, **keywords: getattr(receiver, rest)(*args, **keywords)
    if name == "operator.call" or (module == "builtins" and rest not in _PURE_BUILTINS):
        return None
    if name.startswith("numpy.random") or module not in (*_PURE_MODULES, "builtins"):
        return None
    found: Any = None
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
            function: Callable[..., Any] = functools.reduce(getattr, parts[cut:], found)
            return function
        except (ImportError, AttributeError):
            continue
    return None


def _finished(call: Application, value: Value) -> Value:
    """Return a rule's result with its term and the rows that it is a function of."""
    if isinstance(value, Number) and value.public and value.expr is None and not value.nan:
        # Equal in both runs, though nobody knows what it is.
        value = replace(value, expr=value.low if value.low == value.high else _unknown(value))
    value = _with_term(call, value)
    if isinstance(value, Number | Array) and value.source is None and not is_public(value):
        rows = value.rows if isinstance(value, Array) else None
        source = rows if rows is not None else source_of(*call.args, *call.keywords.values())
        value = replace(value, source=source)
    return value


def _unknown(number: Number) -> Any:
    whole = True if number.integer else None
    return sympy.Symbol(f"value_{fresh()}", real=True, integer=whole)


def _with_term(call: Application, value: Value) -> Value:
    if not isinstance(value, Number | Array | Known | Tuple) or value.term is not None:
        return value
    terms = []
    for each in [*call.args, *(v for _, v in sorted(call.keywords.items()))]:
        term = term_of(each)
        if term is None:
            return value
        terms.append(term)
    names = tuple(sorted(call.keywords))
    head = _HEADS.get(call.name, call.name)
    return replace(value, term=(head, *terms, names) if names else (head, *terms))


def term_of(value: Value) -> Any:
    """Return how a value was computed; None where that is not known."""
    if isinstance(value, Tuple):
        terms = tuple(term_of(item) for item in value.items)
        return None if None in terms else ("tuple", *terms)
    return getattr(value, "term", None)


def ran(call: Application, value: Value) -> Any:
    """Return the line of a derivation that says that the code was run."""
    from dpaudit.formal.walk import Step

    shown = getattr(value, "value", None)
    return Step("computed by running the code", call.place, f"{call.name} = {shown!r:.60}", value)


def _shown(call: Application) -> str:
    kinds = ", ".join(_kind(v) for v in call.args)
    extra = "".join(f", {name}=…" for name in call.keywords)
    return f"{call.name}({kinds}{extra})"


def _kind(value: Value) -> str:
    match value:
        case Number():
            return "public number" if value.public else "private number"
        case Array():
            words = "records" if value.rows is not None else "array"
            return f"{'public' if value.public else 'private'} {words}"
        case Known(value=object_):
            return type(object_).__name__
    return type(value).__name__.lower()
