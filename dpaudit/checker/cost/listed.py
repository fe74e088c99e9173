"""Pairs of datasets that are listed, as numbers or as the records in which they differ."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr, Cells, cell
from dpaudit.checker.cost.ends import INF, end, least, most
from dpaudit.checker.cost.record_columns import ANY, Rows, Table, View
from dpaudit.checker.cost.values import Change, Unknown
from dpaudit.checker.exact.numbers import number
from dpaudit.checker.file import NotCheckedError

_MOST_CHANGED = 16
_FEW = 100_000


def listed(left: Any, right: Any) -> Any:
    """Return two datasets that are numbers, arrays of numbers of one shape, or records.

    Raises
    ------
    NotCheckedError
        For others.
    """
    scalars = (int, float)
    if type(left) in scalars and type(left) is type(right):
        return _pair(left, right)
    arrays = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
    alike = arrays and left.dtype == right.dtype and left.ndim == right.ndim == 1
    if alike and left.shape == right.shape and left.dtype.name in ("float64", "int64"):
        cells = np.empty(left.shape, dtype=object)
        for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            cells[i] = _pair(a, b)
        cells.setflags(write=False)
        return Arr(cells, "float" if left.dtype.kind == "f" else "int")
    if alike and left.dtype.names is not None and len(left) + len(right) <= _FEW:
        return _records(*sorted((left, right), key=len))
    raise NotCheckedError("not checked: listed datasets of this kind")


def _pair(left: Any, right: Any) -> Any:
    _validate_finite(left, right)
    a, b = end(Fraction(left)), end(Fraction(right))
    kind: Any = "float" if isinstance(left, float) else "int"
    moved = b - a
    return Unknown(kind, least((a, b)), most((a, b)), Change(moved, moved))


def _validate_finite(*values: Any) -> None:
    if not all(abs(value) < INF for value in values):
        raise NotCheckedError("not checked: listed datasets with NaN or infinities")


def _records(smaller: Any, larger: Any) -> Table:
    """Return two structured arrays as what they share, and the records in which they differ.

    Of the records that both hold, each stands for any of them, as those of a declared domain do.
    Places are known only where those that differ are where they were in the other.
    """
    names = smaller.dtype.names
    if any(smaller.dtype[name] != np.float64 for name in names):
        raise NotCheckedError("not checked: listed records that are not floats alone")
    before, after = smaller.tolist(), larger.tolist()
    _validate_finite(*(value for row in (*before, *after) for value in row))
    gone, come = _without(before, after), _without(after, before)
    if len(gone) + len(come) > _MOST_CHANGED:
        raise NotCheckedError("not checked: listed datasets that differ in many records")
    lanes = dict(enumerate((*gone, *come), start=1))
    size = len(before) if len(before) == len(after) else None
    moved = sum(a != b for a, b in zip(before, after, strict=False))
    in_place = size is None or moved == len(gone)
    lane = tuple(lanes)
    view = View(lane[: len(gone)], lane[len(gone) :], size, end(len(after)), whole=in_place)

    def column(at: int) -> Rows:
        values = [end(Fraction(row[at])) for row in (*before, *after)]
        low, high = (least(values), most(values)) if values else (end(0), end(0))
        cells: dict[int, Cells] = {ANY: cell(Unknown("float", low, high))}
        cells |= {lane: cell(number(Fraction(row[at]))) for lane, row in lanes.items()}
        return Rows(view, cells, "float")

    return Table(view, {name: column(at) for at, name in enumerate(names)})


def _without(rows: list[Any], others: list[Any]) -> list[Any]:
    """Return the records of a list that are not in another, each as often as it is there more."""
    left = list(others)
    found = []
    for row in rows:
        if row in left:
            left.remove(row)
        else:
            found.append(row)
    return found
