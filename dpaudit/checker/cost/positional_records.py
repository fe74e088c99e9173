"""Positional records: their number is public, and one is replaced where it is.

A replaced record keeps its place, which is any: each place is a path of its own. So what is taken
from public places holds the record that changed, or does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost import array_functions
from dpaudit.checker.cost.arithmetic import binary
from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.compare import found
from dpaudit.checker.cost.ends import end, least, most
from dpaudit.checker.cost.noise import is_noise
from dpaudit.checker.cost.record_columns import ANY, Rows, View, summed, within
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Change, Unknown, unknown

MOST = 200  # places, of which each is a path


@dataclass(frozen=True, slots=True, eq=False)
class WithNoise:
    """A column of public length plus an array with noise, entry by entry."""

    rows: Rows
    noise: Arr


def place_of(run: Run, view: View) -> int:
    """Return where the replaced record is on this path."""
    if view not in run.places:
        single = len(view.before) == len(view.after) == 1
        if not view.whole or view.size is None or view.size > MOST or not single:
            raise run.refused("an index of records by their place")
        run.places[view] = run.fork(view.size)
    return run.places[view]


def at_places(run: Run, rows: Rows, places: list[int]) -> Rows:
    """Return the records at some public places, each once."""
    view = rows.view
    changed = place_of(run, view)
    size = view.size or 0
    if not all(-size <= at < size for at in places):
        raise run.refused("an index outside of what it indexes")
    wanted = [at % size for at in places]
    if len(set(wanted)) != len(wanted):
        raise run.refused("an index of one record twice")
    inside = changed in wanted
    before, after = (view.before, view.after) if inside else ((), ())
    count = len(wanted)
    return within(rows, View(before, after, count, end(count)))


def places(view: View) -> range | None:
    """Return the places of the records, None where not one of a public number is replaced."""
    single = len(view.before) == len(view.after) == 1
    if not view.whole or view.size is None or not single or view.size > MOST:
        return None
    return range(view.size)


def one_after_another(run: Run, rows: Rows) -> list[Unknown] | None:
    """Return all records by their places, None where `places` tells none."""
    column, found_at = Rows(rows.view, rows.lanes, rows.dtype), places(rows.view)
    return None if found_at is None else [at_place(run, column, at) for at in found_at]


def at_place(run: Run, rows: Rows, place: int) -> Unknown:
    """Return the record at a public place."""
    if rows.rest or rows.dtype == "str":
        raise run.refused("an index of records by their place")
    chosen = at_places(run, rows, [place])
    if not chosen.view.changed:
        return unknown(found(run, rows.lanes[ANY][()]))
    (one,), (other,) = chosen.view.before, chosen.view.after
    x, y = (_number(run, rows.lanes[lane][()]) for lane in (one, other))
    change = Change(y.low - x.high, y.high - x.low)
    return Unknown(x.kind, least((x.low, y.low)), most((x.high, y.high)), change)


def _number(run: Run, value: Any) -> Unknown:
    value = found(run, value)
    x = unknown(value.snapshot() if isinstance(value, Var) else value)
    if not x.regular:
        raise run.refused("one record that may be NaN or infinite")
    return x


def with_noise(a: Any, b: Any) -> WithNoise | None:
    """Return a column plus an array with noise, None where they are something else."""
    if isinstance(a, Arr):
        a, b = b, a
    if not isinstance(a, Rows) or not isinstance(b, Arr) or a.rest or a.listed:
        return None
    alike = b.cells.ndim == 1 and a.view.size == len(b.cells) and a.dtype in ("int", "float")
    noisy = alike and any(is_noise(entry) for entry in b.cells)
    return WithNoise(a, b) if noisy else None


def total(run: Run, value: WithNoise) -> Any:
    """Return the sum of both."""
    noise = array_functions.reduced(run, "add", value.noise, None)
    return binary(run, "add", summed(run, value.rows)[()], noise)
