"""Columns side by side, columns of one number, and which column is the largest in each record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr, Cells, cell
from dpaudit.checker.cost.constants import DTYPES, Named
from dpaudit.checker.cost.ends import ZERO, end
from dpaudit.checker.cost.record_columns import ANY, Rows, Table, View, by_lane, records_of
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import RANK as KINDS
from dpaudit.checker.cost.values import Unknown, is_known
from dpaudit.checker.wording import described

_MOST_COLUMNS = 100
RANK = {kind: at for at, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Fields:
    """The type of a structured array: the names of its columns."""

    names: tuple[str, ...]


def attribute_dtype(run: Run, value: Any) -> Fields | Named:
    """Return the type of records with columns, or of the entries of an array.

    What records are made into may have another type than what is known of it says: an array of
    numbers that are 1 or 0.0 is one of integers where all are 1.
    """
    if isinstance(value, Rows):
        given = run.data.columns.values() if isinstance(run.data, Table) else [run.data]
        raw = any(isinstance(rows, Rows) and rows.lanes is value.lanes for rows in given)
        known = raw and not (value.listed or value.untyped)
    else:
        known = isinstance(value, Arr) and all(map(is_known, value.cells.flat))
    if known and f"numpy.{value.dtype}64" in DTYPES:
        return Named(f"numpy.{value.dtype}64")
    if not isinstance(value, Table):
        raise run.refused(f"the type of {described(value)}")
    return Fields(tuple(value.columns))


def attribute_names(run: Run, value: Any) -> tuple[str, ...]:
    """Return the names of the columns that a type has."""
    if not isinstance(value, Fields):
        raise run.refused(f"the names of {described(value)}")
    return value.names


def stacked(run: Run, items: Any) -> Rows:
    """Return columns one below the other, as ``np.array([x, y])``."""
    view = _view(run, items)
    if any(item.rest for item in items):
        raise run.refused("an array of columns that are several")
    return joined(run, view, items, last=True)


def column_stack(run: Run, items: Any) -> Rows:
    """Return columns side by side, of which some may be several."""
    items = _alike(items)
    view = _view(run, items)
    if any(len(item.rest) > 1 or (item.rest and item.last) for item in items):
        raise run.refused("these columns side by side")
    return joined(run, view, items, last=False)


def stack(run: Run, items: Any, axis: Any = 0) -> Rows:
    """Return columns as the rows or as the columns of one array."""
    if any(getattr(item, "rest", ()) for item in items) or axis not in (0, 1, -1):
        raise run.refused("arrays put together along this axis")
    return stacked(run, items) if axis == 0 else column_stack(run, items)


def side_by_side(run: Run, items: Any) -> Rows:
    """Return ``np.hstack`` of what has several columns each."""
    if not all(getattr(item, "rest", ()) for item in items):
        raise run.refused("columns put one after the other")
    return column_stack(run, items)


def of_records(items: Any) -> bool:
    """Whether arrays are put together of which one at least is a column."""
    return isinstance(items, list | tuple) and any(isinstance(item, Rows) for item in items)


def _alike(items: Any) -> Any:
    """Return an array of one number, as long as there are records, as a column of it."""
    view = next((item.view for item in items if isinstance(item, Rows)), None)
    if view is None or view.size is None:
        return items
    found = []
    for item in items:
        plain = isinstance(item, Arr) and item.cells.shape == (view.size,) and view.size > 0
        entry = item.cells[0] if plain else None
        if plain and is_known(entry) and all(v is entry for v in item.cells):
            item = Rows(view, by_lane_of(view, entry), item.dtype)
        found.append(item)
    return found


def by_lane_of(view: View, entry: Any) -> dict[int, Cells]:
    """Return the values of a column of one number."""
    return {lane: cell(entry) for lane in (ANY, *view.changed)}


def _view(run: Run, items: Any) -> View:
    plain = isinstance(items, list | tuple) and bool(items)
    if not plain or not all(isinstance(item, Rows) and item.dtype in RANK for item in items):
        raise run.refused("columns put together with what is no column")
    view: View = items[0].view
    if any(item.view is not view or item.listed for item in items):
        raise run.refused("columns of different records put together")
    return view


def joined(run: Run, view: View, items: Any, *, last: bool) -> Rows:
    """Return columns of the same records as one array."""
    types = {item.dtype for item in items}
    if len(types) > 1:
        raise run.refused("columns of several types put together")

    def lane(which: int) -> Cells:
        return np.concatenate([item.lanes[which].reshape(-1) for item in items])

    untyped = any(item.untyped for item in items)
    return Rows(view, by_lane(run, view, lane), types.pop(), last, untyped=untyped)


@dataclass(frozen=True, slots=True, eq=False)
class Unfilled:
    """A column of which each entry is put there before it is read."""

    of: Rows


def filled_column(length: Any, entry: Any, dtype: str) -> Rows | None:
    """Return columns of one number, None where a length is not that of all records."""
    rest: tuple[Any, ...] = ()
    if isinstance(length, tuple) and len(length) in (1, 2):
        length, rest = length[0], length[1:]
    view = records_of(length)
    if view is None or any(type(n) is not int or not 0 < n <= _MOST_COLUMNS for n in rest):
        return None
    cells = np.full(rest, entry, dtype=object)
    return Rows(view, dict.fromkeys((ANY, *view.changed), cells), dtype, fresh=True)


def argument(run: Run, value: Rows, axis: Any) -> Rows:
    """Return for each record which of its entries is the largest, or the smallest.

    Of a record that changed it may be any, of NaN among the entries too: it is one index, which
    tests on it find out.
    """
    one = len(value.rest) == 1 and type(axis) is int and value.dtype in ("int", "float")
    if not one or axis not in ((0, -2) if value.last else (1, -1)) or not value.rest[0]:
        raise run.refused("the place of the largest along this axis")
    low, high = ZERO, end(value.rest[0] - 1)

    def lane(which: int) -> Cells:
        return cell(Unknown("int", low, high) if which == ANY else Var("int", low, high))

    return Rows(value.view, by_lane(run, value.view, lane), "int")
