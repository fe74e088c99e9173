"""Indexed sums: each record adds to one of several sums, told by an index, or by bins.

Along each axis a record passes one test at most, for the sum that it adds to. So a count by two
columns is the sum over records of the products of such tests, and a weighted one that of a value
where all are passed and 0 elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.checker.cost import array_functions
from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.arrays import Arr, Cells, dtype_of
from dpaudit.checker.cost.compare import compared
from dpaudit.checker.cost.ends import ZERO, end, less
from dpaudit.checker.cost.indexing import change
from dpaudit.checker.cost.record_columns import (
    Rows,
    bounded,
    by_lane,
    elementwise,
    holds_records,
    summed,
    validate_typed,
)
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import is_known, is_number
from dpaudit.checker.exact.numbers import number
from dpaudit.checker.wording import described

_MOST_CELLS = 2000
_MOST_EDGES = 2000
Axis = tuple[Any, int, Callable[[Any, int], Any]]  # a column, how many tests, and each test


def _sums(run: Run, axes: list[Axis], values: Any) -> Arr:
    """Return for each test along each axis the sum over the records that pass them."""
    columns = [column for column, _, _ in axes]
    shape = tuple(count for _, count, _ in axes)
    view = getattr(columns[0], "view", None)
    plain = all(isinstance(c, Rows) and c.view is view and not c.rest for c in columns)
    if not plain or np.prod(shape) > _MOST_CELLS:
        raise run.refused("sums by what are no columns of the same records")
    of_records = isinstance(values, Rows) and values.view is view and not values.rest
    if not of_records and not is_known(values):
        raise run.refused("sums of what are no numbers of the same records")
    dtype = dtype_of(run, values) if is_known(values) else values.dtype
    nothing: Any = number(0) if dtype == "float" else 0

    def lane(which: int) -> Cells:
        passed: list[list[Any]] = []
        for column, count, test in axes:
            x = column.lanes[which][()]
            passed.append([test(x, at) for at in range(count)])
        value = values.lanes[which][()] if isinstance(values, Rows) else values
        cells = np.empty(shape, dtype=object)
        for at in np.ndindex(*shape):
            inside: Any = True
            for tests, place in zip(passed, at, strict=True):
                inside = binary(run, "and_", inside, tests[place])
            cells[at] = array_functions.chosen(run, inside, value, nothing)
        return cells

    return Arr(summed(run, Rows(view, by_lane(run, view, lane), dtype)), dtype)  # type: ignore[arg-type]


def _by_index(run: Run, column: Any, size: Any) -> Axis:
    """Return an axis of which a column tells the place: from 0 on, and each is there."""
    if not isinstance(column, Rows) or column.rest or column.dtype != "int":
        raise run.refused(f"a count of {described(column)}")
    validate_typed(run, column)
    if type(size) is not int or not 0 < size <= _MOST_CELLS:
        raise run.refused("counts of which the number is not known")
    for cells in column.lanes.values():
        x = bounded(run, cells[()])
        if less(x.low, ZERO) or less(end(size - 1), x.high):
            raise run.refused("counts of which the number depends on the data")
    return column, size, lambda x, at: compared(run, "eq", x, at)


def _by_bins(run: Run, column: Any, edges: list[Any]) -> Axis:
    """Return an axis of bins: both ends belong to the last one."""
    column = array_functions.asarray(run, column)
    if not isinstance(column, Rows) or column.rest or column.dtype not in ("int", "float"):
        raise run.refused(f"a histogram of {described(column)}")

    def inside(x: Any, at: int) -> Any:
        above = compared(run, "ge", x, edges[at])
        last = at == len(edges) - 2
        return binary(run, "and_", above, compared(run, "le" if last else "lt", x, edges[at + 1]))

    return column, len(edges) - 1, inside


def bincount(run: Run, value: Any, weights: Any = None, minlength: Any = 0) -> Arr:
    """Return how often each of some public integers occurs, or the sum of its weights.

    Of no records NumPy returns integers, whatever their weights.
    """
    some = isinstance(value, Rows) and holds_records(run, value.view)
    if weights is not None and not some:
        raise run.refused("sums by an index, which are integers where there are no records")
    return _sums(run, [_by_index(run, value, minlength)], _weights(run, weights, 1, cast=True))


def _weights(run: Run, weights: Any, usual: Any, *, cast: bool) -> Any:
    """Return what each record adds: floats, unless none are given."""
    if weights is None:
        return usual
    weights = array_functions.asarray(run, weights)
    if not isinstance(weights, Rows) or not (cast or weights.dtype == "float"):
        raise run.refused("weights that are no numbers of the same records")
    return elementwise(run, "float", lambda x: unary(run, "float", x), weights)


def add_at(run: Run, of: Any, at: Any, values: Any) -> None:
    """Add values, each where a record says: ``np.add.at``."""
    indices = at if isinstance(at, tuple) else (at,)
    if not isinstance(of, Arr) or len(indices) != of.cells.ndim or of.dtype not in ("int", "float"):
        raise run.refused(f"sums in {described(of)}")
    if isinstance(values, Rows) and (values.untyped or values.listed):
        raise run.refused("sums of what are no numbers of the same records")
    axes = [_by_index(run, index, n) for index, n in zip(indices, of.cells.shape, strict=True)]
    added = _sums(run, axes, values)
    change(run, of, elementwise(run, "add", lambda x, y: binary(run, "add", x, y), of, added))


def histogram(
    run: Run, value: Any, bins: Any = 10, range: Any = None, *, weights: Any = None
) -> tuple[Arr, Arr]:
    """Return how many records are in each bin, or the sum of their weights, and the edges."""
    edges = _edges(run, bins, range)
    counts = _sums(run, [_by_bins(run, value, edges)], _weights(run, weights, 1, cast=False))
    return counts, array_functions.array(run, edges, None)


def histogram_of_several(
    run: Run, sample: Any, bins: Any = 10, range: Any = None, *, weights: Any = None
) -> tuple[Arr, Any]:
    """Return ``np.histogramdd`` of columns: floats, of counts too."""
    columns = list(sample) if isinstance(sample, list | tuple) else _columns(run, sample)
    n = len(columns)
    several = bins if isinstance(bins, list | tuple) and len(bins) == n else (bins,) * n
    ends = range if isinstance(range, list | tuple) and len(range) == n else (None,) * n
    edges = [_edges(run, *each) for each in zip(several, ends, strict=True)]
    axes = [_by_bins(run, column, each) for column, each in zip(columns, edges, strict=True)]
    counts = _sums(run, axes, _weights(run, weights, 1, cast=True))
    counts = elementwise(run, "float", lambda x: unary(run, "float", x), counts)
    return counts, tuple(array_functions.array(run, each, None) for each in edges)


def _columns(run: Run, sample: Any) -> list[Rows]:
    if not isinstance(sample, Rows) or len(sample.rest) != 1 or sample.last:
        raise run.refused(f"a histogram of {described(sample)}")
    return [
        Rows(sample.view, {lane: c[at : at + 1].reshape(()) for lane, c in sample.lanes.items()},
             sample.dtype, untyped=sample.untyped)
        for at in np.arange(sample.rest[0])
    ]  # fmt: skip


def histogram_of_two(
    run: Run, x: Any, y: Any, bins: Any = 10, range: Any = None, *, weights: Any = None
) -> tuple[Arr, Arr, Arr]:
    """Return ``np.histogram2d``."""
    counts, (one, other) = histogram_of_several(run, (x, y), bins, range, weights=weights)
    return counts, one, other


def _edges(run: Run, bins: Any, ends: Any) -> list[Any]:
    if type(bins) is int and isinstance(ends, tuple | list) and len(ends) == 2:
        return list(linspace(run, ends[0], ends[1], bins + 1).cells)
    if isinstance(bins, list | tuple | Arr) and ends is None:
        edges = list(array_functions.asarray(run, bins).cells.flat)
        grow = all(map(is_number, edges)) and len(edges) > 1
        if grow and all(less(end(a), end(b)) for a, b in itertools.pairwise(edges)):
            return [number(edge) for edge in edges]
    if type(bins) is int and ends is None:
        raise run.refused("bins from the smallest to the largest record", violation="DPA109")
    raise run.refused("a histogram with bins that are not known")


def linspace(run: Run, low: Any, high: Any, num: Any = 50) -> Arr:
    """Return numbers as far from one another, as NumPy itself rounds them; its ends are exact."""
    first, last = (float(array_functions.exactly(run, at)) for at in (low, high))
    if type(num) is not int or not 2 <= num <= _MOST_EDGES or not first < last:
        raise run.refused("numbers of which it is not known how many")
    cells = np.empty(num, dtype=object)
    for at, value in enumerate(np.linspace(first, last, num).tolist()):
        cells[at] = number(value)
        cells[at].double = value if at in (0, num - 1) else None
    return Arr(cells, "float")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "numpy.add.at": add_at,
    "numpy.bincount": bincount,
    "numpy.histogram": histogram,
    "numpy.histogram2d": histogram_of_two,
    "numpy.histogramdd": histogram_of_several,
    "numpy.linspace": linspace,
}
