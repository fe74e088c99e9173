"""Positional records: their number is public, and one is replaced where it is.

A replaced record keeps its place, which is any: each place is a path of its own. So what is taken
from public places holds the record that changed, or does not. Records by their places are an array
like any other, of which one entry, or one row, differs between the runs: what is known of arrays
is known of them. The program may not change that array, which is a copy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.compare import found
from dpaudit.checker.cost.constants import FixedList
from dpaudit.checker.cost.ends import ONE, end, least, most, same
from dpaudit.checker.cost.lengths import bounded_apart, change_of
from dpaudit.checker.cost.record_columns import ANY, Rows, View, within
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Group, Token, Unknown, Vague, is_known, unknown

MOST = 200  # places, of which each is a path


def is_placed(run: Run, view: View) -> bool:
    """Whether records have public places, and one at most is replaced."""
    whole = view.whole and view.size is not None and view.size <= MOST
    return view in run.places or (whole and view.replaces_one)


def place_of(run: Run, view: View) -> int | None:
    """Return where the replaced record is on this path, None where it is not among these."""
    if not is_placed(run, view):
        raise run.refused("an index of records by their place")
    if view not in run.places:
        run.places[view] = run.fork(view.size or 1)
    return run.places[view]


def at_places(run: Run, rows: Rows, places: list[int]) -> Rows:
    """Return the records at some public places, each once."""
    view = rows.view
    changed, size = place_of(run, view), view.size or 0
    if not all(-size <= at < size for at in places):
        raise run.refused("an index outside of what it indexes")
    wanted = [at % size for at in places]
    if len(set(wanted)) != len(wanted):
        raise run.refused("an index of one record twice")
    inside = changed in wanted
    before, after = (view.before, view.after) if inside else ((), ())
    chosen = View(before, after, len(wanted), end(len(wanted)))
    run.places[chosen] = None if changed is None or not inside else wanted.index(changed)
    return within(rows, chosen)


def at_place(run: Run, rows: Rows, place: int) -> Any:
    """Return the record at a public place."""
    if not rows.rest:
        return _cells(run, rows).cells[place]
    return Arr(by_place(run, rows).cells[(..., place) if rows.last else place], rows.dtype)


def by_place(run: Run, rows: Rows) -> Arr:
    """Return the records by their places, in memory that they may share with the column."""
    run.viewed[id(rows)] = rows
    return _cells(run, rows)


def _cells(run: Run, rows: Rows) -> Arr:
    """Return the records by their places: the same array each time."""
    if id(rows) not in run.by_place:
        run.by_place[id(rows)] = rows, _by_place(run, rows)
    array: Arr = run.by_place[id(rows)][1]
    return array


def _by_place(run: Run, rows: Rows) -> Arr:
    if rows.dtype == "str" or run.lane is not None or (rows.untyped and rows.dtype != "float"):
        raise run.refused("an index of records by their place")
    view = rows.view
    changed = place_of(run, view)
    cells = np.empty((view.size or 0, *rows.rest), dtype=object)
    for at in np.ndindex(*cells.shape):
        if at[0] != changed:
            cells[at] = _other(run, rows.lanes[ANY][at[1:]])
    if changed is not None:
        cells[changed] = _replaced(run, rows)
    cells.setflags(write=False)
    return Arr(np.moveaxis(cells, 0, -1) if rows.last else cells, rows.dtype)


def _other(run: Run, value: Any) -> Any:
    """Return what one of the records that are in both runs is: no other one is that scalar."""
    value = found(run, value)
    if is_known(value):
        return value
    if isinstance(value, Vague):
        raise run.refused("one record that nothing bounds")
    x = unknown(value)
    other = Unknown(x.kind, x.low, x.high, nan=x.nan, infinite=x.infinite)
    return run.others.setdefault(id(other), other)


def is_of_other(run: Run, test: Any) -> bool:
    """Whether a test is one of a record that is in both runs, or of how it compares."""
    tested = test.tested[1] if isinstance(test, Unknown) and test.tested else test
    return id(tested) in run.others


def _replaced(run: Run, rows: Rows) -> Any:
    """Return the entries of the record that was replaced: x in one run, y in the other."""
    (one,), (other,) = rows.view.before, rows.view.after
    entries: dict[int, Any] = {}
    for lane in (one, other):
        cells = entries[lane] = np.empty(rows.rest, dtype=object)
        for at in np.ndindex(*rows.rest):
            cells[at] = _number(run, rows.lanes[lane][at])
    apart = bounded_apart(x for cells in entries.values() for x in cells.flat)
    replaced = np.empty(rows.rest, dtype=object)
    for at in np.ndindex(*rows.rest):
        x, y = entries[one][at], entries[other][at]
        change = change_of(y, ONE, apart).plus(change_of(x, -ONE, apart))
        if not change.tokens and not same(change.low, change.high):  # the same wherever it goes
            change = Change(tokens={Token(Group("alone", change.low, change.high)): ONE})
        replaced[at] = Unknown(x.kind, least((x.low, y.low)), most((x.high, y.high)), change)
    return replaced if replaced.ndim else replaced[()]


def _number(run: Run, value: Any) -> Unknown:
    value = found(run, value)
    if isinstance(value, Vague):
        raise run.refused("one record that nothing bounds")
    x = unknown(value.snapshot() if isinstance(value, Var) else value)
    if not x.regular:
        raise run.refused("one record that may be NaN or infinite")
    return x


def placed(run: Run, values: Iterable[Any]) -> list[Any] | None:
    """Return values with records by their places, None where none of them can be told so."""
    if run.lane is not None:
        return None
    values = list(values)
    several = [_placed(run, value) for value in values]
    alike = all(one is other for one, other in zip(several, values, strict=True))
    return None if alike else several


def _placed(run: Run, value: Any) -> Any:
    if isinstance(value, Rows) and value.dtype != "str" and is_placed(run, value.view):
        array = by_place(run, value)
        return FixedList(array.cells) if value.listed and not value.rest else array
    if isinstance(value, list | tuple) and any(isinstance(part, Rows) for part in value):
        parts = [_placed(run, part) for part in value]
        return tuple(parts) if isinstance(value, tuple) else FixedList(parts)
    return value
