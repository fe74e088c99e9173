"""What may be computed from released answers: anything, for they are the same in both runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.bounds import INFINITE, ZERO, Bound, at_most, below, some_positive
from dpaudit.formal.calls import Application, apply
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import Array, DictValue, ListValue, Number, Tuple, Value
from dpaudit.formal.noise import Released
from dpaudit.formal.running import implementation
from dpaudit.formal.unsupported import Unsupported

LONG = 8  # operations in a bound on released numbers, beyond which it would cost more than it tells


def plain(value: Value) -> Value:
    """Return what a released value is known to be, other values as they are."""
    if isinstance(value, Released) and value.value is not None:
        return value.value
    return value


def known(value: Value) -> Value:
    """Return what is known of a value and of the items of a tuple."""
    value = plain(value)
    if isinstance(value, Tuple):
        return Tuple(tuple(known(item) for item in value.items))
    return value


def wrapped(value: Value) -> Value:
    """Return a public value as a released one, unless it is a constant."""
    if isinstance(value, Array):
        return Released(replace(value, low=_shortened(value.low), high=-_shortened(-value.high)))
    if isinstance(value, Number) and not value.constant:
        return Released(value)
    return value


def _shortened(low: Bound) -> Bound:
    """Return a lower bound of which only the sign is kept, where it has grown long."""
    if low.count_ops() <= LONG:
        return low
    if below(ZERO, low):
        return some_positive("least")
    return ZERO if at_most(ZERO, low) else -INFINITE


def index_public(index: Any) -> bool:
    """Whether an index is the same in both runs."""
    if isinstance(index, slice):
        return all(e is None or is_public(e) for e in (index.start, index.stop, index.step))
    if isinstance(index, tuple):
        return all(map(index_public, index))
    return index is None or is_public(index)


def reapplied(call: Application, opened: list[Value]) -> Value:
    """Apply a function to values of which some were released."""
    count = len(call.args)
    values = [_deep(value) for value in opened]
    public = all(v is None or is_public(v) for v in values)
    inner = [v for v in values if v is not None]
    if len(inner) < len(values):
        if public:
            return _computed(call)
        call.refuse(f"{call.name} of private data and what was computed from released answers")
    args, names = inner[:count], list(call.keywords)
    keywords = dict(zip(names, inner[count:], strict=True))
    try:
        found = apply(call.walk, call.name, args, keywords, call.place)
    except Unsupported:
        if public:
            return _computed(call)
        raise
    return wrapped(found) if public else found


def _deep(value: Value) -> Value | None:
    """Return a value without wrappers; None where only that it is public is known."""
    if isinstance(value, Released):
        return value.value
    if isinstance(value, Tuple | ListValue):
        items = [v for v in map(_deep, value.items) if v is not None]
        if len(items) < len(value.items):
            return None
        return Tuple(tuple(items)) if isinstance(value, Tuple) else ListValue(items)
    if isinstance(value, DictValue):
        inner = {k: v for k, v in ((k, _deep(v)) for k, v in value.items.items()) if v is not None}
        return DictValue(inner) if len(inner) == len(value.items) else None
    return value


def _computed(call: Application) -> Value:
    """Post-process: any function without effects, of public values alone."""
    if implementation(call.name) is None:
        call.refuse(f"{call.name} of released answers")
    return Released(None)
