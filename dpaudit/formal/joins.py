"""What stands for either of two values, after a test whose outcome the runs need not share.

One run may hold the left value while the other holds the right one: then only their ranges say
how far apart they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal.arrays import as_array, derived
from dpaudit.formal.bounds import INFINITE, ZERO, larger, smaller
from dpaudit.formal.dependence import source_of
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Foreign,
    Known,
    ListValue,
    Number,
    Rows,
    Tuple,
    Value,
)
from dpaudit.formal.norms import Norms
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import PrivateUse, Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.hooks import Hooks


def join(left: Value, right: Value, test: Value, place: Place, hooks: Hooks) -> Value:
    """Return a value that stands for either one, run by run.

    Raises
    ------
    PrivateUse
        Where the two are of different kinds, so that the kind of the result is private.
    """
    if left is right or (isinstance(left, Known) and _same(left, right)):
        return left
    if isinstance(left, Foreign) or isinstance(right, Foreign):
        joined = hooks.join(left, right, place)
        if joined is None:
            raise PrivateUse("branch", "noise behind a test on private data", place, test)
        return joined
    left, right = _as_number(left), _as_number(right)
    match left, right:
        case Number(), Number():
            return _numbers(left, right, test, place)
        case (Array() | Known() | Number(), Array() | Known() | Number()) if _numeric(
            left
        ) and _numeric(right):
            return _arrays(left, right, test, place)
        case Tuple(), Tuple() if len(left.items) == len(right.items):
            pairs = zip(left.items, right.items, strict=True)
            return Tuple(tuple(join(a, b, test, place, hooks) for a, b in pairs))
        case ListValue(), ListValue() if len(left.items) == len(right.items):
            pairs = zip(left.items, right.items, strict=True)
            return ListValue([join(a, b, test, place, hooks) for a, b in pairs])
        case DictValue(), DictValue() if keys_of(left) == keys_of(right):
            return DictValue({
                key: join(value, right.items[key], test, place, hooks)
                for key, value in left.items.items()
            })  # fmt: skip
    raise PrivateUse("branch", "a value whose kind depends on private data", place, test)


def keys_of(value: DictValue) -> list[tuple[type, Any]]:
    """Return the keys in their order, which an output shows; 1 and True are two."""
    return [(type(key), key) for key in value.items]


def _numeric(value: Value) -> bool:
    return not isinstance(value, Known) or isinstance(value.value, np.ndarray)


def _same(left: Known, right: Any) -> bool:
    if not isinstance(right, Known):
        return False
    if left.value is right.value:
        return True
    plain = (str, bytes, bool, type(None))
    return type(left.value) is type(right.value) and isinstance(left.value, plain) and bool(
        left.value == right.value
    )  # fmt: skip


def _as_number(value: Value) -> Value:
    if isinstance(value, Known) and isinstance(value.value, bool):
        from dpaudit.formal.constants import truth_number

        return truth_number(value.value)
    return value


def _numbers(left: Number, right: Number, test: Value, place: Place) -> Number:
    if left.expr is not None and left.expr == right.expr and left.public and right.public:
        kinds = [
            (type(n.value) if n.constant else None, n.integer, n.boolean) for n in (left, right)
        ]
        if kinds[0] != kinds[1]:
            raise PrivateUse("branch", "a number whose type depends on private data", place, test)
        return left
    broken = left.nan or right.nan or left.infinite or right.infinite
    across = INFINITE if broken else larger(ZERO, right.high - left.low, left.high - right.low)
    return Number(
        smaller(left.low, right.low),
        larger(left.high, right.high),
        larger(left.fall, right.fall, across),
        larger(left.rise, right.rise, across),
        left.integer and right.integer,
        left.boolean and right.boolean,
        left.nan or right.nan,
        left.infinite or right.infinite,
        source=source_of(left, right, test),
        why=left.why or right.why,
    )


def _arrays(left: Value, right: Value, test: Value, place: Place) -> Array:
    one, other = as_array(left, place), as_array(right, place)
    if one.kind != other.kind or one.container != other.container:
        raise PrivateUse("branch", "an array whose type depends on private data", place, test)
    known = not any(isinstance(axis, Rows) for axis in (*one.shape, *other.shape))
    if not known or not one.aligned or one.shape != other.shape:
        raise Unsupported("arrays of records that depend on a private test", place)
    low, high = smaller(one.low, other.low), larger(one.high, other.high)
    across = larger(ZERO, other.high - one.low, one.high - other.low)
    if one.nan or other.nan or one.infinite or other.infinite:
        across = INFINITE
    norms = one.norms.joined(other.norms).joined(Norms(linf=across).tightened(one.size))
    return derived(replace(
        one, low=low, high=high, integer=one.integer and other.integer, norms=norms,
        boolean=one.boolean and other.boolean, nan=one.nan or other.nan,
        infinite=one.infinite or other.infinite, rises=True, falls=True, term=None,
        source=source_of(one, other, test), values=None,
    ))  # fmt: skip
