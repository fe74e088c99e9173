"""Records, one number each: clipped, put in order, counted by their values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from dpaudit.formal import rounding
from dpaudit.formal.lemmas.values import (
    Joined,
    Listed,
    Number,
    Occurring,
    Ordered,
    Records,
    Value,
)

if TYPE_CHECKING:
    from dpaudit.formal.lemmas.reading import Reading

FEW_BITS = sympy.Integer(2**31)  # sums of such integers overflow 64 bits for 2³² records or more


def clipped(name: str, left: Value, right: Value) -> Value | None:
    """Return the larger or the smaller of each record and a public number."""
    column, other = (left, right) if isinstance(left, Records | Joined) else (right, left)
    if not isinstance(column, Records | Joined) or not isinstance(other, Number):
        return None
    if not other.expr.is_Rational:
        return None
    pick = sympy.Max if name.endswith(("fmax", "maximum")) else sympy.Min
    bound = other.expr
    if isinstance(column, Joined):
        records = clipped(name, column.records, other)
        assert isinstance(records, Records)
        return Joined(tuple(pick(c, bound) for c in column.constants), records)
    low, high, nan = pick(column.low, bound), pick(column.high, bound), column.nan
    if nan and name.endswith(("fmax", "fmin")):  # of a number and NaN these return the number
        low, high, nan = sympy.Min(low, bound), sympy.Max(high, bound), False
    whole = column.whole and other.whole
    return Records((name, column.key, bound), low, high, whole, nan)


def shifted(word: str, left: Value, right: Value) -> Value | None:
    """Return records plus or less a public number."""
    if not isinstance(left, Records) or not isinstance(right, Number) or word not in ("add", "sub"):
        return None
    if not right.expr.is_Rational:
        return None
    if abs(right.expr) > rounding.LARGEST * max(1, *(abs(e) for e in (left.low, left.high))):
        return None  # floats lose the records
    by = right.expr if word == "add" else -right.expr
    if left.whole and right.whole and not _of_few_bits(left.low + by, left.high + by):
        return None
    return replace(
        left, key=(word, left.key, right.expr), low=left.low + by, high=left.high + by,
        whole=left.whole and right.whole,
    )  # fmt: skip


def _of_few_bits(*ends: Any) -> bool:
    """Whether integers so large, and the differences of two, are far from overflowing."""
    return all(abs(end) <= FEW_BITS for end in ends)


def joined(reading: Reading, items: tuple[Value, ...]) -> Value | None:
    """Return public numbers and one array of records behind one another."""
    if any(isinstance(item, Ordered) for item in items):
        return _around(reading, items)
    constants: list[Any] = []
    records: list[Records] = []
    for item in items:
        if isinstance(item, Records):
            records.append(item)
            continue
        numbers = _public(item)
        if numbers is None:
            return None
        constants += numbers
    return Joined(tuple(constants), records[0]) if len(records) == 1 else None


def _public(item: Value) -> list[Any] | None:
    """Return a list of public numbers, None for another one."""
    if not isinstance(item, Listed):
        return None
    known = [each.expr for each in item.items if isinstance(each, Number)]
    return known if len(known) == len(item.items) and all(e.is_Rational for e in known) else None


def _around(reading: Reading, items: tuple[Value, ...]) -> Value | None:
    """Return numbers in order between public ones that do not come out of order."""
    at = next(i for i, item in enumerate(items) if isinstance(item, Ordered))
    order = items[at]
    assert isinstance(order, Ordered)
    before, after = ([_public(item) for item in part] for part in (items[:at], items[at + 1 :]))
    if None in before or None in after:
        return None
    below = [number for numbers in before for number in numbers or ()]
    above = [number for numbers in after for number in numbers or ()]
    inner = (*order.array.constants, order.array.records.low, order.array.records.high)
    if sorted(below) != below or sorted(above) != above:
        return None
    if max(below, default=min(inner)) > min(inner) or min(above, default=max(inner)) < max(inner):
        return None
    constants = (*below, *order.array.constants, *above)
    return in_order(reading, Joined(constants, order.array.records))


def in_order(reading: Reading, array: Joined | Records) -> Value | None:
    """Return an array in order; its ends are public where public numbers bound all records."""
    array = array if isinstance(array, Joined) else Joined((), array)
    constants, records = array.constants, array.records
    if records.nan or -sympy.oo in (records.low, -records.high):
        return None
    if records.whole and not _of_few_bits(records.low, records.high, *constants):
        return None
    low: Any = min(constants, default=None)
    high: Any = max(constants, default=None)
    low = low if low is not None and low <= records.low else None
    high = high if high is not None and high >= records.high else None
    key = ("x", records.key, tuple(sorted(constants)))
    entry = reading.names.symbol(key, lambda name: sympy.Function(name, real=True))
    order = Ordered(entry, len(constants), low, high, False, array)
    reading.names.orders[entry] = order
    return order


def occurring(reading: Reading, records: Records) -> Value | None:
    """Return the different values of records, and how often each occurs.

    Of −0 and 0, which are one value, the one is shown that stands first: a sum is never −0.
    """
    if not records.whole and records.key[0] != "add":
        return None
    number = reading.names.symbol(
        ("different", records.key),
        lambda name: sympy.Symbol(name, integer=True, nonnegative=True),
    )
    return Listed((
        Occurring(records, "values", number), Occurring(records, "counts", number),
    ))  # fmt: skip
