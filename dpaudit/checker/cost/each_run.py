"""Values that are known in each run, and what becomes of them: the same function in either run.

A private number of which both values are known lies at one end of its range in the first run, and
at the other in the second: its change is the whole width of the range, or that negated. A function
of it is found for each run alone, and so is an entry at it, or what an assignment there leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpaudit.checker.cost.ends import ZERO, is_finite, least, most, same, size
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import (
    SIGN,
    Change,
    Unknown,
    is_known,
    kind_of,
    unknown,
)
from dpaudit.checker.exact.numbers import Number


def in_each(value: Any) -> tuple[Any, Any] | None:
    """Return a value in the first run and in the second where both are known, or parts of it.

    None where nothing in it differs, or more of it is not known.
    """
    if isinstance(value, tuple):
        parts = [in_each(part) for part in value]
        if not any(parts):
            return None
        pairs = [p or (v, v) for p, v in zip(parts, value, strict=True)]
        return tuple(one for one, _ in pairs), tuple(other for _, other in pairs)
    if not isinstance(value, Unknown) or not value.regular or value.shared:
        return None
    low, high, change = value.low, value.high, value.change
    if change.tokens or not same(change.low, change.high) or not is_finite(change.low):
        return None
    rational = all(isinstance(e, Number) and e.fraction is not None for e in (low, high))
    if not rational or not same(size(change.low, change.high), high - low):
        return None
    one, other = (_of_kind(value.kind, at) for at in (low, high))
    return (one, other) if change.low.sign() > 0 else (other, one)


def _of_kind(kind: str, at: Number) -> Any:
    if kind == "float":
        return at
    return (bool if kind == "bool" else int)(at.fraction)  # type: ignore[arg-type]


def of_each(function: Callable[..., Any], *operands: Any) -> tuple[Any, Any] | None:
    """Return what a function gives in either run, None where its operands are not known there."""
    each = in_each(operands)
    if each is None or not all(map(is_known, (*each[0], *each[1]))):
        return None
    return function(*each[0]), function(*each[1])


def torn(run: Run, one: Any, other: Any, *, typed: bool) -> Any:
    """Return a number that is one in the first run, and another in the second.

    `typed` says that both are entries of an array, which are of one type.
    """
    one, other = (in_each(one) or (one,))[0], (in_each(other) or (other,))[-1]
    if one is other:
        return one
    x, y = _numbers(run, one, other)
    return _of_two(run, one, other, Change(y.low - x.high, y.high - x.low), typed=typed)


def either(run: Run, yes: Any, no: Any, *, alike: bool) -> Any:
    """Return one of two numbers by a test, which comes out alike in both runs or does not."""
    x, y = _numbers(run, yes, no)
    low, high = least((x.low, y.low)), most((x.high, y.high))
    if alike and x.shared and y.shared:
        return run.mark_apart(Unknown(x.kind, low, high))
    return _of_two(run, yes, no, Change(low - high, high - low), typed=False)


def _numbers(run: Run, one: Any, other: Any) -> tuple[Unknown, Unknown]:
    kind = kind_of(one)
    if kind is None or kind != kind_of(other):
        raise run.refused("a private choice among values that are not numbers of one type")
    x, y = unknown(one), unknown(other)
    ends = (x.low, x.high, y.low, y.high)
    if not (x.regular and y.regular and all(map(is_finite, ends))):
        raise run.refused("a private choice among numbers that nothing bounds")
    return x, y


def _of_two(run: Run, one: Any, other: Any, change: Change, *, typed: bool) -> Any:
    """Return one of two numbers, of which nothing else is known that is known of either."""
    x, y = unknown(one), unknown(other)
    if change.none and _are_zeros(x) and not _are_one(one, other):
        change = SIGN
    elif change.none and typed:
        return one
    found = Unknown(x.kind, least((x.low, y.low)), most((x.high, y.high)), change)
    return found if typed else run.mark_apart(found)


def _are_zeros(x: Unknown) -> bool:
    return x.kind == "float" and same(x.low, ZERO)


def _are_one(one: Any, other: Any) -> bool:
    """Whether two zeros have one sign."""
    doubles = [value.double for value in (one, other) if isinstance(value, Number)]
    signs = {math.copysign(1, double) for double in doubles if double is not None}
    return len(doubles) == 2 and None not in doubles and len(signs) == 1
