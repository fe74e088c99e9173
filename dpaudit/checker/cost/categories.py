"""Categories: columns whose values are among labels that are known, as ``pandas.cut`` makes them.

Counts by such a column have all of its labels, whichever occur. In which order these stand is
private where they are sorted by their counts, as ``value_counts()`` does unless told otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from dpaudit.checker.cost.arrays import Arr, cell
from dpaudit.checker.cost.compare import compared, found
from dpaudit.checker.cost.ends import end
from dpaudit.checker.cost.frames import Series
from dpaudit.checker.cost.record_columns import ANY, Rows, by_lane, within
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Text, Unknown
from dpaudit.checker.exact.numbers import Number
from dpaudit.extras import optional

_MOST_LABELS = 64


def cut(
    run: Run,
    x: Any,
    bins: Any,
    right: Any = True,
    labels: Any = None,
    *,
    include_lowest: Any = False,
) -> Series:
    """Return ``pandas.cut(series, bins)``, where no record lies outside of all bins."""
    ends = list(bins.cells.flat) if isinstance(bins, Arr) else bins
    if not isinstance(x, Series) or x.rows.rest or x.rows.dtype not in ("int", "float"):
        raise run.refused("parts of what is no column of numbers")
    if not isinstance(ends, list | tuple | range) or not 2 <= len(ends) <= _MOST_LABELS:
        raise run.refused("bins that are not known", violation="DPA109")
    plain = all(isinstance(b, int | float | Number) and not isinstance(b, bool) for b in ends)
    if not plain or not all(compared(run, "lt", a, b) is True for a, b in pairwise(ends)):
        raise run.refused("bins of which not each begins where the one before ends")
    if type(right) is not bool or type(include_lowest) is not bool:
        raise run.refused("bins of which it is not known which ends they hold")
    numbered = labels is False
    names = _names(run, list(ends), right, include_lowest) if labels is None else labels
    names = range(len(ends) - 1) if numbered else names
    if not isinstance(names, list | tuple | range) or len(set(names)) != len(ends) - 1:
        raise run.refused("labels that are not known")
    if not numbered and not all(isinstance(name, str) for name in names):
        raise run.refused("labels of bins that are no texts")
    above, below = ("gt", "le") if right else ("ge", "lt")
    lowest = "ge" if include_lowest else above

    def label(value: Any) -> Any:
        value = found(run, value)
        if run.lane == "any":
            inside = all(compared(run, *each) is True for each in _outer(value))
            if not inside:
                raise run.refused("a record outside of all bins")
            ends_of = Unknown("int", end(0), end(len(names) - 1))
            return ends_of if numbered else Text(tuple(names))
        for name, edge in zip(names, ends[1:], strict=True):
            if _is_true(compared(run, below, value, edge)):
                return name
        raise run.refused("a record outside of all bins")

    def _outer(value: Any) -> list[Any]:
        return [(lowest, value, ends[0]), (below, value, ends[-1])]

    def _is_true(outcome: Any) -> bool:
        return outcome if isinstance(outcome, bool) else run.fork(2) == 0

    lanes = by_lane(run, x.rows.view, lambda lane: cell(label(x.rows.lanes[lane][()])))
    known = None if numbered else tuple(names)
    return Series(Rows(x.rows.view, lanes, "int" if numbered else "str", categories=known))


def _names(run: Run, ends: list[Any], right: bool, lowest: bool) -> list[str]:
    """Return the intervals as texts."""
    pd = optional("pandas")

    plain = [
        float(b.fraction) if isinstance(b, Number) and b.fraction is not None else b for b in ends
    ]
    if not all(isinstance(b, int | float) for b in plain):
        raise run.refused("bins that are not known")
    empty = pd.Series([], dtype=float)
    return [
        str(each)
        for each in pd.cut(empty, plain, right=right, include_lowest=lowest).cat.categories
    ]


def categorical(run: Run, values: Any, categories: Any = None, *, ordered: Any = False) -> Series:
    """Return ``pandas.Categorical(series, labels)``, where each record has one of the labels."""
    labels = list(categories.cells.flat) if isinstance(categories, Arr) else categories
    if not isinstance(labels, list | tuple):
        raise run.refused("which values occur in the data", violation="DPA109")
    rows = values.rows if isinstance(values, Series) else values
    if not isinstance(rows, Rows) or rows.rest or type(ordered) is not bool:
        raise run.refused("categories of what is no column")
    anyone = rows.lanes[ANY][()]
    words = anyone.words if isinstance(anyone, Text) else (anyone,)
    if not words or not set(words) <= set(labels) or len(set(labels)) < len(labels):
        raise run.refused("a record whose value may be none of the categories")
    return Series(replace(within(rows, rows.view), categories=tuple(labels)))
