"""The largest, the smallest and the middle of some records: each lies between two of them.

Of records that are none there is no largest, and NumPy raises; the median of none is NaN. Where one
run alone may have none, only what a test on their number leaves is followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.checker.cost.ends import HALF, End, least, most
from dpaudit.checker.cost.record_columns import Rows, View, bounded, holds_records
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import NONE, Change, Unknown, kind_of
from dpaudit.checker.wording import described


def among(word: str) -> Callable[[Run, Any], Unknown]:
    """Return what gives the `maximum`, the `minimum` or the `median` of a column."""

    def choose(run: Run, rows: Any) -> Unknown:
        kinds = ("float", "int")
        if not isinstance(rows, Rows) or rows.rest or rows.listed or rows.dtype not in kinds:
            raise run.refused(f"the {word} of {described(rows)}")
        low, high = _ends(run, rows)
        changed = bool(rows.view.changed)
        some = holds_records(run, rows.view)
        if changed and not some:
            raise run.refused(f"the {word} of records that may be none in one run alone")
        kind: Any = "float" if word == "median" else rows.dtype
        nan = word == "median" and not some
        change = across(low, high) if changed else NONE
        size = rows.view.size
        if word == "median" and size is not None and size % 2 == 0 and rows.view.replaces_one:
            # Where one record is replaced, the middle two of an even number, x_m and x_{m+1},
            # become numbers between x_{m-1} and x_{m+1}, and x_m and x_{m+2}: their mean moves by
            # (x_{m+2} - x_m)/2 at most, or to the left.
            change = change.times(HALF)
        return Unknown(kind, low, high, change, nan=nan)

    return choose


def _ends(run: Run, rows: Rows) -> tuple[End, End]:
    each = [bounded(run, values[()]) for values in rows.lanes.values()]
    return least(x.low for x in each), most(x.high for x in each)


def across(low: End, high: End) -> Change:
    """Return the change of a number that may be anything between two in either run."""
    return Change(low - high, high - low)


def counted_by(value: Any) -> View | None:
    """Return the records of which a value is a multiple of the number."""
    of = value.sum_of if isinstance(value, Unknown) else None
    return of[0] if of is not None and isinstance(of[0], View) and of[1].sign() != 0 else None


def are_numbers(one: Any, other: Any) -> bool:
    """Whether two values are numbers of one type."""
    return kind_of(one) in ("float", "int") and kind_of(one) == kind_of(other)


_COMPUTES = frozenset(
    {"operator.add", "operator.sub", "operator.mul", "operator.truediv", "operator.neg"}
    | {"builtins.float", "builtins.abs", "numpy.max", "numpy.min", "numpy.median"}
    | {"method.max", "method.min"}
)


def is_computed(node: Any) -> bool:
    """Whether an expression gives a number and does nothing else: it draws, changes, calls nothing.

    One run alone may come by it.
    """
    match node:
        case {"kind": "Name" | "Constant"}:
            return True
        case {"kind": "Call", "function": str(name), "arguments": list(args), "keywords": []}:
            return name in _COMPUTES and all(map(is_computed, args))
    return False
