"""Calls that are run for real, where all that they are given is known."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal.constants import constant
from dpaudit.formal.domain import (
    Both,
    DictValue,
    FunctionValue,
    Known,
    ListValue,
    Number,
    Tuple,
    Value,
)
from dpaudit.formal.effort import beyond
from dpaudit.formal.lifting.deterministic import is_deterministic
from dpaudit.formal.lifting.known import may_call
from dpaudit.formal.terms import with_term

if TYPE_CHECKING:
    from dpaudit.formal.calls import Application


_MUTATING = frozenset({
    "append", "extend", "insert", "pop", "popleft", "remove", "clear", "update", "setdefault",
    "sort", "reverse", "add", "discard", "fill", "put", "resize", "appendleft",
})  # fmt: skip


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


def run_for_real(call: Application, everything: list[Value], *, exact: bool = True) -> Value | None:
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
    if not all(may_call(call.name, (*args, *named.values())) for args, named in results):
        return None
    for args, _ in results:
        if large := beyond(call.name, args):
            call.refuse(large)
    values = [
        _result(call, functools.partial(function, *args, **keywords)) for args, keywords in results
    ]
    if any(_shared(given, value) for given, value in zip(results, values, strict=True)):
        return None  # a copy would not change when the argument does
    if len(values) == 1:
        value = constant(values[0])
        return with_term(call, value)
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


def really(call: Application, thunk: Callable[[], Any]) -> Value:
    """Return what code returns that is given known values, in both runs."""
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
    if not is_deterministic(name):
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


def ran(call: Application, value: Value) -> Any:
    """Return the line of a derivation that says that the code was run."""
    from dpaudit.formal.trail import Step

    shown = getattr(value, "value", None)
    return Step("computed by running the code", call.place, f"{call.name} = {shown!r:.60}", value)
