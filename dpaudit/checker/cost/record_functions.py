"""Functions of columns of records: what is summed over them, and what is found for each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.cost import array_functions, columns
from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.arrays import Arr, Cells, cell, cells_of, made, mapped
from dpaudit.checker.cost.compare import compared, found
from dpaudit.checker.cost.ends import ZERO, end, less, size
from dpaudit.checker.cost.matrices import combinations
from dpaudit.checker.cost.record_columns import (
    ANY,
    Centered,
    Distinct,
    Places,
    Rows,
    Sorted,
    by_lane,
    chosen,
    elementwise,
    spread_product,
    summed,
    told_more,
)
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import MarkedPlaces, SampleMask, sample_size
from dpaudit.checker.cost.values import Unknown, is_known, is_number, kind_of, unknown
from dpaudit.checker.cost.weights import searched
from dpaudit.checker.wording import described

_HELD = end(2**63)  # NumPy knows no larger integers
_REDUCTIONS = {"add": "sum", "maximum": "largest", "minimum": "smallest"}


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """The products of two columns less their means."""

    one: Centered
    other: Centered


def total(run: Run, value: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Return the sum of an array, of a column, or along an axis."""
    if isinstance(value, Squares):
        return spread_product(run, value.one, value.other)
    if isinstance(value, SampleMask) and axis is None:
        return sample_size(value)
    return reduced(run, "add", value, axis, keep=keepdims)


def reduced(run: Run, name: str, value: Any, axis: Any, *, keep: Any = False) -> Any:
    """Return the sum, the largest or the smallest along an axis, or of all entries.

    Of records there are sums, and what each record comes to by itself.
    """
    if not isinstance(keep, bool):
        raise run.refused("a reduction to this shape")
    if isinstance(value, list | tuple):
        value = array_functions.asarray(run, value)
    if isinstance(value, Arr):
        return array_functions.reduced(run, name, value, axis, keep=keep)
    if not isinstance(value, Rows) or value.listed:
        raise run.refused(f"the {_REDUCTIONS[name]} of {described(value)}")
    axes = len(value.rest) + 1
    at = axes - 1 if value.last else 0
    if axis is not None and (type(axis) is not int or not -axes <= axis < axes):
        raise run.refused("a reduction along this axis")
    if axis is not None and axis % axes != at:
        return _within_each(run, name, value, axis % axes - (0 if value.last else 1), keep=keep)
    if name != "add":
        raise run.refused(f"the {_REDUCTIONS[name]} of {described(value)}")
    dtype = "float" if value.dtype == "float" or value.untyped else "int"
    sums = Arr(summed(run, value), dtype)
    if axis is None:
        one = array_functions.reduced(run, "add", sums, None) if value.rest else sums.cells[()]
        return Arr(cell(one).reshape((1,) * axes), dtype) if keep else one
    return made(np.expand_dims(sums.cells, at) if keep else sums.cells, dtype)


def _within_each(run: Run, name: str, value: Rows, axis: int, *, keep: bool) -> Rows:
    def lane(which: int) -> Cells:
        entries = Arr(value.lanes[which], value.dtype)
        cells = cells_of(array_functions.reduced(run, name, entries, axis, keep=keep))
        return cells if which == ANY else mapped(told_more, cells)

    lanes = by_lane(run, value.view, lane)
    last = value.last and bool(lanes[ANY].ndim)
    dtype = "int" if value.dtype == "bool" and name == "add" else value.dtype
    return Rows(value.view, lanes, dtype, last, untyped=value.untyped)


def count_nonzero(run: Run, value: Any, axis: Any = None) -> Any:
    """Return how many entries are not 0."""
    if isinstance(value, SampleMask) and axis is None:
        return sample_size(value)
    if isinstance(value, Rows | Arr) and value.dtype != "bool":
        value = elementwise(run, "ne", lambda x: compared(run, "ne", x, 0), value)
    return total(run, value, axis)


def places_where(run: Run, value: Any) -> Places | MarkedPlaces:
    """Return where the records are whose entry is not 0."""
    if isinstance(value, SampleMask):
        return MarkedPlaces(value)
    if not isinstance(value, Rows) or value.rest or value.listed:
        raise run.refused(f"the places in {described(value)}")
    if value.dtype != "bool":
        value = elementwise(run, "ne", lambda x: compared(run, "ne", x, 0), value)
    return Places(chosen(run, value, value), value.view)


def places_by_axis(run: Run, value: Any) -> tuple[Places | MarkedPlaces]:
    """Return such places for each axis: records have one."""
    return (places_where(run, value),)


def mean(run: Run, value: Any, axis: Any = None) -> Any:
    """Return the mean of an array, or over records of a public number."""
    if isinstance(value, list | tuple):
        value = array_functions.asarray(run, value)
    if isinstance(value, Squares) and axis is None:
        return binary(run, "truediv", total(run, value), value.one.rows.view.size)
    over_records = isinstance(value, Rows) and (axis == 0 if value.rest else axis in (None, 0))
    if isinstance(value, Arr) and value.cells.size:
        sums = array_functions.reduced(run, "add", value, axis)
        length = value.cells.size if axis is None else value.cells.shape[axis]
    elif over_records and not (value.last and value.rest):
        sums = total(run, value, 0 if value.rest else None)
        length = value.view.length()
    else:
        raise run.refused(f"the mean of {described(value)}")
    return elementwise(run, "truediv", lambda x: binary(run, "truediv", x, length), sums)


def ends_of(run: Run, low: Any, high: Any, names: dict[str, Any]) -> tuple[Any, Any]:
    """Return the ends of a range, each by its place or by one of its names, or None."""
    ends: list[Any] = []
    for given, known in ((low, ("a_min", "min", "lower")), (high, ("a_max", "max", "upper"))):
        each = [given, *(names.pop(name) for name in known if name in names)]
        each = [end for end in each if end is not None]
        if len(each) > 1:
            raise run.refused("two bounds for one end of a range")
        ends.append(each[0] if each else None)
    if names:
        raise run.refused(f"numbers brought into a range with the argument {min(names)}")
    return ends[0], ends[1]


def clip(run: Run, value: Any, low: Any = None, high: Any = None, **names: Any) -> Any:
    """Return numbers brought into a range, by the names of NumPy and pandas; NaN stays as it is."""
    low, high = ends_of(run, low, high, names)
    if isinstance(value, list | tuple):
        value = array_functions.asarray(run, value)
    for name, bound in (("maximum", low), ("minimum", high)):
        if bound is not None:
            value = elementwise(run, name, lambda x, y, n=name: binary(run, n, x, y), value, bound)
    return value


def distinct(run: Run, value: Any) -> Distinct:
    """Return the different values of a column."""
    if isinstance(value, Rows) and not value.rest:
        return Distinct(value)
    raise run.refused(f"the different values of {described(value)}")


def searchsorted(run: Run, value: Any, at: Any, side: Any = "left") -> Any:
    """Return where numbers belong in an order."""
    if side not in ("left", "right"):
        raise run.refused("this side of an order")
    if isinstance(value, tuple | list):
        value = array_functions.asarray(run, value)
    if isinstance(value, Sorted):
        return _counts_below(run, value.rows, at, side)
    if not isinstance(value, Arr) or value.cells.ndim != 1:
        raise run.refused(f"a search in {described(value)}")
    places = searched(run, list(value.cells), at)
    if places is not None:
        return Unknown("int", ZERO, end(places - 1))
    single = run.lane is not None and (isinstance(at, Var) or kind_of(at) in ("int", "float"))
    known = isinstance(at, Rows) or single
    if not known:
        raise run.refused(f"a search for {described(at)}")
    edges = list(value.cells)
    if not all(map(is_number, edges)) or any(
        less(end(b), end(a)) for a, b in itertools.pairwise(edges)
    ):
        raise run.refused("a search in an array that is not known to be in order")
    below = "le" if side == "right" else "lt"

    def place(x: Any) -> Any:
        return _place(run, edges, below, x)

    if not isinstance(at, Rows):
        return place(at)

    def lane(which: int) -> Cells:
        return mapped(place, at.lanes[which])

    return Rows(at.view, by_lane(run, at.view, lane), "int", at.last)


def _place(run: Run, edges: list[Any], below: str, x: Any) -> Any:
    """Return how many edges are below a number; NaN comes last."""
    x = found(run, x)
    if isinstance(x, float) and x != x:
        return len(edges)
    if run.lane == "any":
        return Unknown("int", ZERO, end(len(edges)))
    count = 0
    for edge in edges:
        if compared(run, below, edge, x) is not True:
            break
        count += 1
    return count


def bisected(side: str) -> Callable[..., Any]:
    """Return ``bisect.bisect_left`` or ``bisect.bisect_right`` of a record's number."""

    def place(run: Run, value: Any, at: Any) -> Any:
        at = found(run, at)
        if isinstance(at, Rows | float) or getattr(at, "nan", False):
            raise run.refused("a search for what may be NaN")
        return searchsorted(run, value, at, side)

    return place


def _counts_below(run: Run, rows: Rows, at: Any, side: str) -> Any:
    """Return how many records are below each of some numbers; NaN comes last, below none."""
    marks = at if isinstance(at, Arr) else array_functions.asarray(run, [at])
    if not isinstance(marks, Arr) or not all(map(is_number, marks.cells.flat)):
        raise run.refused(f"a search for {described(at)}")
    below = "lt" if side == "left" else "le"
    wide = Rows(
        rows.view,
        {lane: np.broadcast_to(values, marks.cells.shape) for lane, values in rows.lanes.items()},
        rows.dtype,
    )
    flags = elementwise(run, below, lambda x, y: compared(run, below, x, y), wide, marks)
    counts = summed(run, flags)
    return Arr(counts, "int") if isinstance(at, Arr) else counts.flat[0]


def products(run: Run, a: Any, b: Any) -> Any:
    """Return the sum over records of the products of what two columns hold."""
    if isinstance(a, Rows) and isinstance(b, Arr) and not a.last and len(a.rest) == 1:
        return combinations(run, a, b)
    if isinstance(a, Centered) and isinstance(b, Centered):
        return spread_product(run, a, b)
    if not isinstance(a, Rows) or not isinstance(b, Rows) or a.view is not b.view:
        raise run.refused(f"a product of {described(a)} and {described(b)}")
    types = {a.dtype, b.dtype}
    if a.listed or b.listed or types == {"bool"} or not types <= columns.RANK.keys():
        raise run.refused(f"a product of {described(a)} and {described(b)}")
    if (b.last and b.rest) or (not a.last and a.rest) or max(len(a.rest), len(b.rest)) > 1:
        raise run.refused("a product of columns along this axis")

    def lane(which: int) -> Cells:
        left, right = a.lanes[which], b.lanes[which]
        if left.ndim and right.ndim:
            mirrored = _alike(left, right)
            left, right = left[:, None], right[None, :]
            found = mapped(lambda x, y: binary(run, "mul", x, y), left, right)
            return _mirrored(found) if mirrored else found
        return mapped(lambda x, y: binary(run, "mul", x, y), left, right)

    dtype = "float" if "float" in (a.dtype, b.dtype) else "int"
    untyped = dtype != "float" and (a.untyped or b.untyped)
    each = Rows(a.view, by_lane(run, a.view, lane), dtype, untyped=untyped)
    return made(summed(run, each), "float" if untyped else dtype)


def _alike(left: Cells, right: Cells) -> bool:
    """Whether two vectors hold the same scalars."""
    pairs = zip(left.flat, right.flat, strict=True) if left.shape == right.shape else ()
    return left.shape == right.shape and all(a is b for a, b in pairs)


def _mirrored(cells: Cells) -> Cells:
    """Return a symmetric matrix, of which each entry is the one that mirrors it."""
    for i, k in np.ndindex(*cells.shape):
        if i > k:
            cells[i, k] = cells[k, i]
    return cells


def _validate_held(run: Run, x: Any) -> None:
    """Refuse a whole number that may be too large for a float: Python raises an exception."""
    if kind_of(x) == "int" and less(_HELD, size(unknown(x).low, unknown(x).high)):
        raise run.refused("a test of a whole number that floats may not hold")


def is_nan(run: Run, value: Any) -> Any:
    """Return whether a number, or which ones, are NaN.

    Of one that is computed the analysis of floats tells whether it may overflow.
    """

    def test(x: Any) -> Any:
        x = found(run, x)
        if isinstance(x, float):
            return x != x
        x = unknown(x.snapshot() if isinstance(x, Var) else x)
        if not isinstance(value, Rows) or value.listed:
            _validate_held(run, x)
        return Unknown("bool", ZERO, end(1), tested=("isnan", x, None)) if x.nan else False

    if isinstance(value, Rows) and value.dtype != "str":
        return elementwise(run, "isnan", test, value)
    told = test(value) if _is_number(run, value) else None
    if not isinstance(told, bool):
        raise run.refused("a test for NaN")
    return told


def is_there(run: Run, value: Any) -> Any:
    """Return whether a number, or which ones, are not NaN: ``pandas.notna``."""
    missing = is_nan(run, value)
    if not isinstance(missing, Rows):
        return not missing
    return elementwise(run, "not", lambda x: unary(run, "not", x), missing)


def are_finite(run: Run, value: Any) -> Any:
    """Return whether a number, or which ones, are neither NaN nor infinite.

    Of one that is computed the analysis of floats tells whether it may overflow.
    """

    def test(x: Any) -> Any:
        x = found(run, x)
        x = x.snapshot() if isinstance(x, Var) else x
        if not isinstance(value, Rows) or value.listed:
            _validate_held(run, x)
        if isinstance(x, Unknown) and not run.doubtful:
            told = Unknown("bool", ZERO, end(1), tested=("isfinite", x, None))
            return True if x.regular else told
        if not is_known(x) or x is None or isinstance(x, str):
            raise run.refused("whether this is finite")
        return not isinstance(x, float) or math.isfinite(x)

    if isinstance(value, Rows) and value.dtype != "str":
        return elementwise(run, "isfinite", test, value)
    told = test(value)
    if not isinstance(told, bool):
        raise run.refused("whether this is finite")
    return told


def _is_number(run: Run, value: Any) -> bool:
    """Whether a value is a number, of which it is known whether both runs share it."""
    value = found(run, value)
    return isinstance(value, Var) or kind_of(value) in ("int", "float")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "method.sum": total,
    "numpy.sum": total,
    "method.mean": mean,
    "numpy.mean": mean,
    "numpy.count_nonzero": count_nonzero,
    "numpy.clip": clip,
    "method.clip": clip,
    "_bisect.bisect_left": bisected("left"),
    "_bisect.bisect_right": bisected("right"),
    "numpy.unique": distinct,
    "builtins.set": distinct,
    "method.nonzero": places_by_axis,
    "numpy.flatnonzero": places_where,
    "numpy.nonzero": places_by_axis,
    "numpy.searchsorted": searchsorted,
    "method.searchsorted": searchsorted,
    "math.isnan": is_nan,
    "numpy.isnan": is_nan,
    "pandas.isna": is_nan,
    "pandas.notna": is_there,
    "math.isfinite": are_finite,
    "numpy.isfinite": are_finite,
}
