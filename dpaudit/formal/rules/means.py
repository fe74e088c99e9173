"""Means: a sum over the number of what was summed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.bounds import ONE, ZERO, Bound, at_most, larger, magnitude, smaller
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Known, ListValue, Number, Rows, Tuple, Value
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import operand
from dpaudit.formal.rules.numbers import tidy
from dpaudit.formal.rules.sums import summed


def least_rows(call: Application, rows: Rows) -> Bound:
    """Return how many rows there are at least, by the tests that were passed so far too."""
    known = call.walk.facts.get(("len", ("rows", rows.id)))
    return rows.least if known is None else larger(rows.least, known[0])


def mean_of_terms(call: Application, top: Number, bottom: Number) -> Number | None:
    """Return what is known of ``sum(x) / len(x)`` or ``sum(x) / max(1, len(x))``.

    Of n records with values in [l, u], adding one to n − 1 >= 1 others moves the mean by
    |x − mean|/n <= (u − l)/n; adding one to none moves sum/max(1, n) by |x|.
    """
    term = top.term
    if not isinstance(term, tuple) or term[0] != "sum" or len(term) != 2:
        return None
    x = call.walk.values.get(term[1])
    if not isinstance(x, Array) or x.rows is None or len(x.shape) != 1 or x.nan or x.infinite:
        return None
    rows = x.rows
    length = ("len", ("rows", rows.id))
    guarded = bottom.term == ("max", frozenset({("public", ONE), length}))
    if rows.public and bottom.public and bottom.expr is not None:
        if bottom.expr != larger(ONE, rows.least) or rows.least != rows.most:
            return None
        return replace(
            _bounded(x, rows.least == 0), fall=top.fall / bottom.expr, rise=top.rise / bottom.expr,
            term=("mean", x.term), source=rows,
        )  # fmt: skip
    if not guarded and (bottom.term != length or not at_most(ONE, least_rows(call, rows))):
        return None
    return mean_change(call, x, rows, may_be_empty=guarded)


def variance_of_terms(call: Application, top: Number, bottom: Number) -> Number | None:
    """Return what is known of ``Σ (x − x̄)²`` over ``max(1, n)`` or ``max(2, n) − 1``.

    Σ (x − x̄)² <= n (u − l)²/4 (Popoviciu), and is 0 of fewer than two.
    """
    term = top.term
    if not isinstance(term, tuple) or term[0] != "moment" or len(term[1]) != 1:
        return None
    (own,) = term[1]
    x = call.walk.values.get(own)
    if not isinstance(x, Array) or x.rows is None or top.nan or top.infinite:
        return None
    length = ("len", ("rows", x.rows.id))
    one, two = ("public", ONE), ("public", ONE + ONE)
    area = (x.high - x.low) ** 2
    if bottom.term == ("max", frozenset({one, length})):
        most = area / 4
    elif bottom.term in (
        ("operator.sub", ("max", frozenset({two, length})), one),
        ("max", frozenset({one, ("operator.sub", length, one)})),
    ):
        most = area / 2
    else:
        return None
    return Number(ZERO, most, most, most, source=x.rows)


def _bounded(x: Array, may_be_empty: bool) -> Number:
    low = smaller(ZERO, x.low) if may_be_empty else x.low
    high = larger(ZERO, x.high) if may_be_empty else x.high
    return Number(low, high)


def mean_change(call: Application, x: Array, rows: Rows, *, may_be_empty: bool) -> Number:
    """Return what is known of the mean of a private number of values; 0 of none."""
    empty = may_be_empty and not at_most(ONE, least_rows(call, rows))
    bounds = _bounded(x, empty)
    span = x.high - x.low
    change = span
    if rows.relation == "inserted":
        # n >= k + 1 records, k of them new: k/n |mean of the new − mean of the old|
        change = span * rows.count / (rows.count + 1)
    if empty:
        change = larger(change, magnitude(x.low, x.high))
    return tidy(replace(
        bounds, fall=change, rise=change, source=rows,
        term=None if x.term is None else ("mean", x.term),
    ))  # fmt: skip


@rule(
    "numpy.mean", "method.mean", "statistics.mean", "statistics.fmean",
    statement="The mean of n values of [l, u] moves by (u − l)/n where one is replaced, by at most "
    "(u − l)/2 where one joins others; of none it is NaN.",
    proof="(S + x)/n − S/(n − 1) = (x − S/(n − 1))/n.",
)  # fmt: skip
def mean(call: Application) -> Value | None:
    """x.mean()."""
    x, axis, dtype, keep = call.bind("a", "axis", "dtype", "keepdims")
    if isinstance(x, ListValue | Tuple | Known):
        x = operand(replace(call, name="numpy.mean"), x)
    if not isinstance(x, Array) or x.kind == "object" or dtype is not None:
        return None
    options = {"axis": axis, "keepdims": keep}
    known_axis = call.known(axis)
    rows = x.rows
    over_rows = rows is not None and (
        known_axis is None or int(known_axis) % len(x.shape) == x.row_axis
    )
    if not over_rows or rows is None:
        divisor = x.size if known_axis is None else x.shape[int(known_axis) % len(x.shape)]
        if rows is not None and known_axis is None:
            divisor = None
        return _over(call, x, options, divisor)
    if rows.public and rows.least == rows.most and rows.least != 0:
        size = rows.least if known_axis is not None else rows.least * (x.rest_size or ONE)
        result = _over(call, x, options, size)
        one = len(x.shape) == 1 and isinstance(result, Number) and x.term is not None
        if not one:
            return result
        assert isinstance(result, Number)
        low, high = larger(result.low, x.low), smaller(result.high, x.high)
        return replace(result, term=("mean", x.term), low=low, high=high)
    if len(x.shape) != 1 or x.nan or x.infinite:
        why = x.why or f"NaN reaches the mean at {call.place}"
        return Number(nan=True, why=why) if len(x.shape) == 1 else None
    if not at_most(ONE, least_rows(call, rows)):
        if call.name.startswith("statistics"):
            call.walk.hazard("the mean of no records raises StatisticsError", call.place)
        else:
            return Number(
                x.low, x.high, nan=True, why=f"the mean of no records is NaN, at {call.place}"
            )
    return mean_change(call, x, rows, may_be_empty=False)


def _over(
    call: Application, x: Array, options: dict[str, Any], divisor: Bound | None
) -> Value | None:
    from dpaudit.formal.constants import constant, public_number

    if divisor is None or isinstance(divisor, Rows) or not getattr(divisor, "is_number", False):
        return None
    if divisor == 0:
        call.refuse("the mean of nothing")
    number = constant(int(divisor)) if divisor.is_Integer else public_number(divisor)
    return call.redo("operator.truediv", summed(call, x, options), number)
