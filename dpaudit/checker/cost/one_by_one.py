"""Loops and comprehensions over records: the body is followed for any record, and for each changed.

What outlives an iteration may only grow by what the record adds to it: a number, the entries of a
list, a dict or an array, a list that is appended to. What it ends as is a sum over the records, or
a column of them. Whatever else an iteration leaves behind depends on the order of the records, and
is gone when the loop is over.

Of any record a test may come out both ways; all ways are gone through, and what they leave is
brought together. For a record that changed each outcome is a path of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.checker.cost import apart, positional_records
from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.arrays import Arr, cell, cells_of, is_shared, mapped
from dpaudit.checker.cost.columns import Unfilled
from dpaudit.checker.cost.compare import compared, found
from dpaudit.checker.cost.constants import FixedDict, FixedList, Named
from dpaudit.checker.cost.ends import is_finite
from dpaudit.checker.cost.frames import Series
from dpaudit.checker.cost.in_place import is_alone
from dpaudit.checker.cost.keyed import Growing, Keyed
from dpaudit.checker.cost.lengths import in_short, together
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.parts import Parts, fields_of, form_of, remade
from dpaudit.checker.cost.record_columns import (
    ANY,
    Rows,
    Sorted,
    Table,
    View,
    counted,
    records_of,
    summed,
)
from dpaudit.checker.cost.records import Steps, Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import of_taken
from dpaudit.checker.cost.values import (
    RANK,
    Generator,
    Shared,
    Sofar,
    Text,
    Unknown,
    is_known,
    kept_ends,
    kind_of,
    spanning,
    unknown,
)
from dpaudit.checker.program import changed
from dpaudit.checker.wording import described

_CONTAINERS = (list, dict, Arr, Keyed)
MOST_VALUES = 64  # of an index that a record tells


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """What a loop goes through.

    `item` gives that of the record that is followed, `at` that at a public place. `moved` says that
    a record which changes moves others, as in the order of their values.
    """

    view: View
    item: Callable[[Run], Any]
    at: Callable[[Run, int], Any] | None = None
    moved: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class At:
    """The place of the record that is followed."""

    view: View


@dataclass(frozen=True, slots=True, eq=False)
class ByPlace:
    """Columns of which the body sees the entry of its own record."""

    of: Any


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """A column of which the body puts in, or changes, the entry of its own record."""

    of: Rows
    put: list[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """What the body may not use."""


_PLACE = Hidden()  # where a record is, which one that comes or goes changes for many others


def records(value: Any) -> Records | None:
    """Return what a loop over columns goes through, None for anything else."""
    if isinstance(value, Records):
        return value
    if isinstance(value, Rows) and (not value.last or not value.rest):
        return Records(
            value.view,
            lambda run: _entry(run, value),
            lambda run, i: positional_records.at_place(run, value, i),
        )
    if isinstance(value, Series) and not value.rows.rest:
        return records(value.rows)
    if isinstance(value, Table):
        value = Parts(value.view, dict(value.columns), "row")
    if not isinstance(value, Parts):
        return None
    several = filter(None, map(records, value.columns.values()))
    parts, form = list(several), (value.of, tuple(value.columns))
    return Records(value.view, lambda run: remade(form, [part.item(run) for part in parts]))


def in_order(value: Any) -> Records | None:
    """Return what a statement that loops over sorted records goes through, or over any others."""
    if isinstance(value, Sorted):
        found = records(value.rows)
        return None if found is None else replace(found, at=None, moved=True)
    return records(value)


def range_of(length: Any) -> Records | None:
    """Return ``range(len(records))``."""
    view = records_of(length)
    return None if view is None else Records(view, lambda run: At(view), lambda run, i: i)


def numbered(several: Records, start: int = 0) -> Records:
    """Return ``enumerate(records, start)``: which number a record has is not told.

    It is the record's place only where numbers start at 0.
    """
    at = several.at
    return Records(
        several.view,
        lambda run: (_PLACE if start else At(several.view), several.item(run)),
        None if at is None else lambda run, i: (start + i, at(run, i)),
    )


def side_by_side(run: Run, several: list[Any]) -> Records | None:
    """Return ``zip(records, records)``, None where nothing in it is a column."""
    parts = [records(value) for value in several]
    if not any(parts):
        return None
    if any(part is None or part.view is not parts[0].view for part in parts):  # type: ignore[union-attr]
        raise run.refused("records beside what are not the same records")
    known = [part for part in parts if part is not None]
    at = [part.at for part in known if part.at is not None]
    return Records(
        known[0].view,
        lambda run: tuple(part.item(run) for part in known),
        (lambda run, i: tuple(one(run, i) for one in at)) if len(at) == len(known) else None,
    )


def each_place(run: Run, value: Any, body: Any) -> list[Any] | None:
    """Return the records one after the other, where one is replaced and noise is drawn for each.

    None where that is not so: then the body is followed for one record at a time.
    """
    several = records(value)
    if several is None or several.at is None or run.lane is not None or not draws(body):
        return None
    if not positional_records.is_placed(run, several.view):
        return None
    return [several.at(run, place) for place in range(several.view.size or 0)]


def draws(node: Any) -> bool:
    """Whether part of a program draws noise."""
    if isinstance(node, list):
        return any(map(draws, node))
    if hasattr(node, "function"):  # defined inside
        node = node.function
    if not isinstance(node, dict) or node.get("kind") == "Constant":
        return False
    return node.get("kind") == "Draw" or any(map(draws, node.values()))


def _entry(run: Run, rows: Rows) -> Any:
    """Return the entry of the record that is followed, of which each test tells more."""
    assert run.record is not None
    told = rows.lanes[run.record]
    cells = np.empty(told.shape, dtype=object)
    for at in np.ndindex(*told.shape):
        key = (id(told[at]), at) if isinstance(told[at], Unknown) else None
        if key is not None and key not in run.anyone:
            run.anyone[key] = (_variable(told[at]), told[at])
        cells[at] = told[at] if key is None else run.anyone[key][0]
    return cells[()] if not cells.ndim else _fixed(cells, rows.dtype)


def _variable(value: Unknown) -> Any:
    """Return a number of any record of which each test tells more."""
    if value.kind == "bool" or value.made is not None or not value.shared:
        return value
    special = (float("nan"),) * value.nan + (float("inf"), -float("inf")) * value.infinite
    return Var(value.kind, value.low, value.high, special, kept=kept_ends(value))


def _fixed(cells: Any, dtype: str) -> Arr:
    kept = cells.copy()
    kept.setflags(write=False)
    return Arr(kept, dtype)


def entry_at(run: Run, of: ByPlace, at: Any) -> Any:
    """Return ``data[i]`` for the record's own place, or a column by its name."""
    inside = of.of
    if isinstance(inside, Table) and isinstance(at, str):
        return ByPlace(inside.columns[at])
    several = records(inside)
    if not isinstance(at, At) or several is None or several.view is not at.view:
        raise run.refused("another record beside a record's value")
    return several.item(run)


def filled_at(run: Run, filling: Filling, at: Any) -> Any:
    """Return ``out[i]`` for the record's own place."""
    assert run.record is not None
    if not isinstance(at, At) or at.view is not filling.of.view:
        raise run.refused("another record beside a record's value")
    return filling.put[0] if filling.put else filling.of.lanes[run.record][()]


def fill(run: Run, filling: Filling, at: Any, value: Any) -> None:
    """Put ``out[i] = value`` for the record's own place."""
    filled_at(run, filling, at)
    value = resolved(run, value)
    dtype = filling.of.dtype
    if dtype == "float" and kind(value) == "int":
        value = unary(run, "float", value)
    if kind(value) != dtype:
        raise run.refused(f"an entry of another type in an array of the type {dtype}")
    filling.put[:] = [value]


def outside(run: Run, value: Any) -> Any:
    """Return what the body may know of a variable that is set before: what both runs share."""
    if isinstance(value, Rows | Table | Parts):
        return ByPlace(value)
    value = shown(run, value)  # noise that a record looks at was released to all
    if is_known(value) or isinstance(value, Shared | Named | range):
        return value
    if isinstance(value, Unknown) and value.shared:
        return value
    if isinstance(value, _CONTAINERS) and touches(value, run.changing[1:]):
        return Hidden()
    if isinstance(value, list | tuple):
        items = [outside(run, item) for item in value]
        return tuple(items) if isinstance(value, tuple) else FixedList(items)
    if isinstance(value, dict):
        return FixedDict((key, outside(run, item)) for key, item in value.items())
    if isinstance(value, Arr) and is_shared(value):
        return _fixed(value.cells, value.dtype)
    if hasattr(value, "function") and hasattr(value, "frame"):
        return value  # a function defined inside, which sees variables by this same rule
    return Hidden()


def settled(run: Run, of: Any, at: Any) -> Any:
    """Return an index that a record tells as a known one: each is a path."""
    at = found(run, at)
    if isinstance(at, tuple):
        return tuple(settled(run, _parts(of, i, len(at)), part) for i, part in enumerate(at))
    key = (id(at), "index")
    if isinstance(at, Text | Unknown) and key not in run.anyone:
        run.anyone[key] = (_settled(run, of, at), at)
    return run.anyone[key][0] if key in run.anyone else _settled(run, of, at)


def _parts(of: Any, at: int, count: int) -> Any:
    """Return a dict of what stands at one place of the keys of a dict, anything else as it is."""
    if not isinstance(of, dict):
        return of
    keys = (key for key in of if isinstance(key, tuple) and len(key) == count)
    return dict.fromkeys(key[at] for key in keys)


def _settled(run: Run, of: Any, at: Any) -> Any:
    if isinstance(at, Text) and isinstance(of, dict) and of:
        keys = [key for key in of if isinstance(key, str)]
        return keys[run.fork(len(keys))]
    if isinstance(at, Text) and isinstance(of, Keyed):
        if not at.words or any(type(word) is not str for word in at.words):
            raise run.refused("a key of which nothing is known")
        return at.words[run.fork(len(at.words))]
    if isinstance(at, Unknown) and at.kind == "bool":
        return run.fork(2) == 0
    if isinstance(at, Unknown) and isinstance(at.made, Steps):
        whole = settled(run, None, at.made.of)
        return at.made.factor * whole + at.made.offset if type(whole) is int else at
    if not isinstance(at, Var | Unknown) or at.kind != "int":
        return at
    if not (is_finite(at.low) and is_finite(at.high)) or (isinstance(at, Unknown) and at.nan):
        return at
    low, high = int(at.low.fraction), int(at.high.fraction)
    if high - low >= MOST_VALUES:
        return at
    if isinstance(at, Unknown):
        return low + run.fork(high - low + 1)
    for value in range(low, high):
        if compared(run, "eq", at, value) is True:
            return value
    return high


# --- loops


def loop(machine: Any, node: dict[str, Any], frame: Any, several: Records) -> None:
    """Run a loop over records."""
    run: Run = machine.run
    _validate_plain(run)
    if node["otherwise"]:
        raise run.refused("`else` of a loop over records")
    names = changed(node["body"]) | changed([{**node, "body": []}])
    before = {n: v for n, v in frame.variables.items() if n in names}
    if several.moved and not all(map(_is_number, before.values())):
        raise run.refused("what a loop over sorted records changes, other than numbers")
    run.changing = [(frame, names), *(v for v in before.values() if isinstance(v, _CONTAINERS))]
    shared = {
        name
        for name, value in before.items()
        if touches(
            value, [v for n, v in before.items() if n != name and isinstance(v, _CONTAINERS)]
        )
    }

    def body() -> dict[str, Any]:
        started = {
            name: Hidden() if name in shared or run.is_lent(value) else _started(name, value)
            for name, value in before.items()
        }
        with machine.inside(frame, dict(started)) as inner:
            machine.assign(node["target"], several.item(run), inner)
            flow = machine.block(node["body"], inner)
        if flow is not None and flow[0] != "continue":
            raise run.refused(f"{flow[0]} in a loop over records")
        ended = inner.variables
        for name, value in started.items():
            _resolve(run, value)
            if isinstance(value, Filling) and value.put and ended.get(name) is not value:
                raise run.refused(f"`{name:.40}`, which is filled and replaced")
        return {name: (ended.get(name), ended.get(name) is started[name]) for name in started}

    left = _followed(run, several.view, body)
    run.changing = []
    for name in names:
        frame.variables.pop(name, None)
    for name, value in before.items():
        ended = _ended(machine, name, value, several.view, left)
        if ended is not None:
            frame.variables[name] = ended[0]


def _resolve(run: Run, value: Any) -> None:
    """Resolve what a record added to lists, once it changes no more."""
    if isinstance(value, Growing):
        value.added[:] = [resolved(run, item) for item in value.added]
    inside = value.entries if isinstance(value, Keyed) else value
    if isinstance(inside, list | dict):
        for item in inside.values() if isinstance(inside, dict) else inside:
            if isinstance(item, Growing):
                _resolve(run, item)


def _validate_plain(run: Run) -> None:
    if run.lane is not None:
        raise run.refused("a loop over records in another")


def touches(value: Any, changed: list[Any]) -> bool:
    """Whether a value is, shares memory with, or holds one of what is changed."""
    for other in changed:
        if value is other:
            return True
        arrays = isinstance(value, Arr) and isinstance(other, Arr)
        if arrays and np.shares_memory(value.cells, other.cells):
            return True
    if isinstance(value, list | tuple):
        return any(touches(item, changed) for item in value)
    if isinstance(value, dict):
        return any(touches(item, changed) for item in value.values())
    if isinstance(value, Keyed):
        return any(touches(item, changed) for item in value.entries.values())
    return False


def _started(name: str, value: Any) -> Any:
    """Return what stands for a variable of which earlier records have made something."""
    if isinstance(value, FixedList | FixedDict):
        return Hidden()
    if _is_number(value):
        return Sofar((name,))
    if isinstance(value, list):
        if not value:
            return Growing([])
        return [_begun((name, i), v) for i, v in enumerate(value)]
    if isinstance(value, dict):
        return {k: _begun((name, k), v) for k, v in value.items()} if value else Keyed(name=name)
    if isinstance(value, Keyed):
        return Hidden() if value.plain else value.started(name)
    if isinstance(value, Arr) and value.dtype in ("int", "float"):
        cells = np.empty(value.cells.shape, dtype=object)
        for at in np.ndindex(*cells.shape):
            cells[at] = Sofar((name, at)) if _is_number(value.cells[at]) else Hidden()
        return Arr(cells, value.dtype)
    column = value.of if isinstance(value, Unfilled) else value
    if (
        isinstance(column, Rows)
        and column.fresh
        and not (column.rest or column.listed or column.untyped)
    ):
        return Filling(column, [])
    return Hidden()


def _begun(slot: tuple[Any, ...], value: Any) -> Any:
    """Return what stands for an entry of a container."""
    if _is_list(value):
        return Growing([], slot)
    return Sofar(slot) if _is_number(value) else Hidden()


def _is_list(value: Any) -> bool:
    """Whether a value is an empty list, which may grow."""
    return type(value) is list and not value


def _is_number(value: Any) -> bool:
    return kind_of(value) in ("int", "float") and not isinstance(value, float)


def _validate_alone(machine: Any, name: str, grown: list[Any] | dict[Any, Any]) -> None:
    """Refuse what grows and has another name, which would still be seen without entries."""
    seen: set[int] = set()
    todo: list[Any] = list(machine.frames)
    names = 0
    while todo:
        value = todo.pop()
        if value is grown:
            names += 1
        elif isinstance(value, list | tuple):
            todo += value
        elif isinstance(value, dict):
            todo += value.values()
        elif hasattr(value, "variables") and id(value) not in seen:
            seen.add(id(value))
            todo += [*value.variables.values(), value.parent]
        elif hasattr(value, "frame"):
            todo.append(value.frame)
    if names:  # the variable itself is gone meanwhile
        raise machine.run.refused(f"`{name:.40}`, which grows and has another name")


def _ended(
    machine: Any, name: str, before: Any, view: View, left: dict[int, list[dict[str, Any]]]
) -> tuple[Any] | None:
    """Return what a variable holds when the loop is over, None where nobody knows.

    A container that is not known any more may be seen under other names: that is refused.
    """
    run: Run = machine.run
    ends = {lane: [way[name] for way in ways] for lane, ways in left.items()}
    every = [end for ways in ends.values() for end in ways]
    if _is_number(before):
        if not all(isinstance(v, Sofar) and v.slot == (name,) for v, _ in every):
            return None
        added = {lane: [cell(v.added) for v, _ in ways] for lane, ways in ends.items()}
        return (_grown(run, view, cell(before), added)[()],)
    if isinstance(before, Rows | Unfilled):
        entries = {lane: [v for v, _ in way] for lane, way in ends.items()}
        return _filled_column(machine, name, before, view, entries)
    if isinstance(before, FixedList | FixedDict) or not isinstance(before, _CONTAINERS):
        return None
    same = {same for _, same in every}
    if len(same) > 1:
        raise run.refused(f"`{name:.40}`, which only some records replace, in a loop over them")
    in_place = same == {True}
    if isinstance(before, list) and not before:
        if not in_place or not all(isinstance(v, Growing) for v, _ in every):
            raise run.refused(f"this change of `{name:.40}` in a loop over records")
        _validate_alone(machine, name, before)
        if not any(v.added for v, _ in every):
            return (before,)
        column = gathered(run, view, {n: [v.added for v, _ in w] for n, w in ends.items()})
        if run.sample is not None:
            column = of_taken(run, "a loop", column, run.sample)
        return (column,)
    if isinstance(before, Keyed) or before == {}:
        if not in_place:
            raise run.refused(f"`{name:.40}`, which is replaced, in a loop over records")
        if before == {}:
            _validate_alone(machine, name, before)
        return (_filled(machine, name, before, view, ends),)
    keys = [key for key in _keys(before) if not _is_list(_at(before, key))]
    lists = _lists(machine, name, before, view, ends) if len(keys) < len(_keys(before)) else {}
    if lists and not in_place:
        raise run.refused(f"`{name:.40}`, which is replaced, in a loop over records")
    added = {}
    for lane, ways in ends.items():
        added[lane] = []
        for value, _ in ways:
            if type(value) is not type(before) or _keys(value) != _keys(before):
                raise run.refused(f"the keys of `{name:.40}` that a record tells")
            cells = np.empty(len(keys), dtype=object)
            for i, key in enumerate(keys):
                entry = _at(value, key)
                if isinstance(entry, Hidden) and isinstance(_at(before, key), Hidden):
                    raise run.refused(f"an entry of `{name:.40}` that is no number")
                if not isinstance(entry, Sofar) or entry.slot != (name, key):
                    raise run.refused(f"an entry of `{name:.40}` that depends on earlier records")
                cells[i] = entry.added
            added[lane].append(cells)
    start = np.empty(len(keys), dtype=object)
    for i, key in enumerate(keys):
        start[i] = _at(before, key)
    grown = _grown(run, view, start, added)
    dtypes = {value.dtype for value, _ in every if isinstance(value, Arr)}
    if len(dtypes) > 1:
        raise run.refused(f"`{name:.40}` of several types")
    put = _put(before, keys, grown, dtypes, in_place=in_place)
    for key, gained in lists.items():
        put[key] = gained
    return (put,)


def _validate_no_sample(run: Run) -> None:
    if run.sample is not None:
        raise run.refused("what a loop over a sample fills")


def _filled_column(
    machine: Any, name: str, before: Rows | Unfilled, view: View, ends: dict[int, list[Any]]
) -> tuple[Any] | None:
    """Return a column into which every record put an entry."""
    run: Run = machine.run
    _validate_no_sample(run)
    every = [end for ways in ends.values() for end in ways]
    if not all(isinstance(end, Filling) for end in every):
        return None
    if not any(end.put for end in every):
        return (before,)
    column = before.of if isinstance(before, Unfilled) else before
    if not is_alone(run, column, name, machine.frames[-1], machine.frames, (Generator,)):
        raise run.refused(f"`{name:.40}`, which is filled and has another name")
    lanes = {}
    for lane, ways in ends.items():
        entries = [end.put[0] if end.put else column.lanes[lane][()] for end in ways]
        if any(kind(entry) is None for entry in entries):
            raise run.refused(f"an entry of `{name:.40}` that nothing was put into")
        lanes[lane] = cell(hull(run, entries) if lane == ANY else in_short(entries[0], run.short))
    return (Rows(view, lanes, column.dtype, fresh=True),)


def _lists(
    machine: Any, name: str, before: Any, view: View, ends: dict[int, list[tuple[Any, bool]]]
) -> dict[Any, Any]:
    """Return what the empty lists in a container have become."""
    run: Run = machine.run
    _validate_no_sample(run)
    keys = [key for key in _keys(before) if _is_list(_at(before, key))]
    if len({id(_at(before, key)) for key in keys}) < len(keys):
        raise run.refused(f"one list at two places of `{name:.40}`")
    found: dict[Any, Any] = {}
    for key in keys:
        _validate_alone(machine, name, _at(before, key))
        if any(type(v) is not type(before) or _keys(v) != _keys(before) for way in ends.values()
               for v, _ in way):  # fmt: skip
            raise run.refused(f"the keys of `{name:.40}` that a record tells")
        entries = {lane: [_at(value, key) for value, _ in ways] for lane, ways in ends.items()}
        found[key] = _gained(run, (name, key), view, entries, _at(before, key))
    return found


def _gained(
    run: Run,
    slot: tuple[Any, ...],
    view: View,
    entries: dict[int, list[Any]],
    empty: list[Any],
) -> Any:
    """Return what a list has become, the empty one where no record adds to it."""
    every = [entry for ways in entries.values() for entry in ways]
    if not all(isinstance(entry, Growing) and entry.slot == slot for entry in every):
        raise run.refused(f"this change of a list that is an entry of `{slot[0]:.40}`")
    if not any(entry.added for entry in every):
        return empty
    return gathered(run, view, {lane: [e.added for e in ways] for lane, ways in entries.items()})


def _filled(
    machine: Any, name: str, before: Any, view: View, ends: dict[int, list[tuple[Any, bool]]]
) -> Keyed:
    """Return a dict whose keys come from the records."""
    run: Run = machine.run
    _validate_no_sample(run)
    values = {lane: [value for value, _ in ways] for lane, ways in ends.items()}
    if any(not isinstance(v, Keyed) or v.name != name for ways in values.values() for v in ways):
        raise run.refused(f"this change of `{name:.40}` in a loop over records")
    to = before if isinstance(before, Keyed) else Keyed()
    to.public = False
    for value in (v for ways in values.values() for v in ways):
        for key, kinds in value.began.items():
            to.began.setdefault(key, set()).update(kinds)
    keys = list(dict.fromkeys(k for ways in values.values() for v in ways for k in v.entries))
    numbers = []
    for key in keys:
        entries = {lane: [v.entries.get(key) for v in ways] for lane, ways in values.items()}
        every = [entry for ways in entries.values() for entry in ways if entry is not None]
        if all(isinstance(e, Sofar) and e.slot == (name, key) for e in every):
            numbers.append(key)
            continue
        slot = (name, key)
        grown = {lane: [e or Growing([], slot) for e in ways] for lane, ways in entries.items()}
        to.entries[key] = _gained(run, slot, view, grown, [])
    start = np.empty(len(numbers), dtype=object)
    for at, key in enumerate(numbers):
        start[at] = to.entries.get(key, 0)
        if not _is_number(start[at]):
            raise run.refused(f"an entry of `{name:.40}` that is no number")
    added: dict[int, list[Any]] = {}
    for lane, several in values.items():
        added[lane] = []
        for value in several:
            cells = np.empty(len(numbers), dtype=object)
            for at, key in enumerate(numbers):
                entry = value.entries.get(key)
                cells[at] = None if entry is None else entry.added
            added[lane].append(cells)
    totals = _grown(run, view, start, added)
    for at, key in enumerate(numbers):
        to.entries[key] = totals[at]
    return to


def _keys(value: Any) -> list[Any]:
    if isinstance(value, Arr):
        return list(np.ndindex(*value.cells.shape))
    return list(range(len(value))) if isinstance(value, list) else list(value)


def _at(value: Any, key: Any) -> Any:
    return value.cells[key] if isinstance(value, Arr) else value[key]


def _put(before: Any, keys: list[Any], grown: Any, dtypes: set[str], *, in_place: bool) -> Any:
    """Return a container with what its entries have become: the same one if it changed in place."""
    to = before
    if not in_place:
        to = Arr(before.cells.copy(), *dtypes) if isinstance(before, Arr) else before.copy()
    into: Any = to.cells if isinstance(to, Arr) else to
    for place, key in enumerate(keys):
        into[key] = grown[place]
    return to


def _grown(run: Run, view: View, start: Any, added: dict[int, list[Any]]) -> Any:
    """Return numbers to which every record adds what it does."""
    lanes: dict[int, Any] = {}
    others = set()  # where something else than Python's integers is added to a number
    for lane, ways in added.items():
        cells = np.empty(start.shape, dtype=object)
        for at in np.ndindex(*start.shape):
            each = [_added(run, way[at]) for way in ways]
            if kind_of(start[at]) not in ("int", "float") or any(type(v) is not int for v in each):
                others.add(at)
            cells[at] = hull(run, each) if lane == ANY else each[0]
        lanes[lane] = cells
    kinds = {kind(value) for cells in lanes.values() for value in cells.flat}
    if not kinds <= set(RANK):
        raise run.refused("a sum of what are no numbers")
    whole = kinds <= {"bool", "int"}
    column = Rows(view, lanes, "int" if whole else "float")
    totals = summed(run, column, frozenset())  # other sums may hold more of the same vectors
    result = np.empty(start.shape, dtype=object)
    for at in np.ndindex(*start.shape):
        nothing = all(type(cells[at]) is int and cells[at] == 0 for cells in lanes.values())
        result[at] = start[at]
        if not nothing:
            total = totals[at]
            if run.sample is not None:
                total = of_taken(run, "a loop", total, run.sample)
            result[at] = binary(run, "add", start[at], total)
            if at in others:
                result[at] = apart.mark(run, result[at])
    return result


def _added(run: Run, value: Any) -> Any:
    return 0 if value is None else in_short(value, run.short)


def kind(value: Any) -> str | None:
    """Return what kind of number a scalar is, one of a record too; None where it is none."""
    return value.kind if isinstance(value, Var) else kind_of(value)


# --- comprehensions


def comprehension(machine: Any, node: dict[str, Any], frame: Any, several: Records) -> Any:
    """Return ``[f(record) for record in data if test(record)]``."""
    target, _, conditions = node["clauses"][0]

    run: Run = machine.run

    def make() -> list[Any]:
        with machine.inside(frame, {}) as inner:
            machine.assign(target, several.item(run), inner)
            if all(machine.truth(machine.value(c, inner)) for c in conditions):
                return [resolved(run, machine.value(node["element"], inner))]
            return []

    return each(run, several.view, make)


def each(run: Run, view: View, make: Callable[[], list[Any]]) -> Any:
    """Return a list of what a record gives, one thing or nothing."""
    _validate_plain(run)
    return gathered(run, view, _followed(run, view, make))


def resolved(run: Run, value: Any) -> Any:
    """Return what a record gives, of which it is known whether it is NaN."""
    if isinstance(value, At):
        return _PLACE
    if isinstance(value, Arr):
        return Arr(mapped(lambda entry: _known(run, entry), value.cells), value.dtype)
    form = form_of(value)
    if form is None:
        return _known(run, value)
    return remade(form, [resolved(run, part) for part in fields_of(value)])


def _known(run: Run, value: Any) -> Any:
    value = found(run, value)
    return in_short(value, run.short) if run.lane == "any" else value


def gathered(run: Run, view: View, given: dict[int, list[list[Any]]]) -> Any:
    """Return a list of what the records give, each at most one thing, an empty one where nothing.

    Parameters
    ----------
    run : Run
    view : View
    given : dict of int to list of list
        By lane: what a record gives, on each way that it may go.
    """
    if any(len(one) > 1 for ways in given.values() for one in ways):
        raise run.refused("a record that adds several entries to a list")
    anyone = [one[0] for one in given[ANY] if one]
    if not anyone:
        if any(one for ways in given.values() for one in ways):
            raise run.refused("a list to which only records that changed add")
        return []
    kept = {lane for lane, ways in given.items() if ways[0]}
    if len(anyone) < len(given[ANY]) or any(lane not in kept for lane in view.changed):
        inside = View(
            tuple(i for i in view.before if i in kept),
            tuple(i for i in view.after if i in kept),
            None,
            view.most,
        )
    else:
        inside = view
    return _column(run, inside, {
        ANY: anyone, **{lane: [given[lane][0][0]] for lane in inside.changed}
    })  # fmt: skip


def _column(run: Run, view: View, given: dict[int, list[Any]]) -> Rows | Parts:
    """Return a list of what the records give, of containers one by part."""
    every = [one for ways in given.values() for one in ways]
    form = form_of(every[0])
    if form is not None:
        if not form[1] or any(form_of(one) != form for one in every):
            raise run.refused("a list of what has not always the same parts")
        parts = {lane: [fields_of(one) for one in ways] for lane, ways in given.items()}
        columns = {
            key: _column(run, view, {lane: [p[at] for p in ways] for lane, ways in parts.items()})
            for at, key in enumerate(form[1])
        }
        return Parts(view, columns, form[0])
    lanes = {ANY: _cells(run, given[ANY])}
    for lane in view.changed:
        lanes[lane] = mapped(lambda value: in_short(value, run.short), cells_of(given[lane][0]))
    kinds = {_dtype(v) for cells in lanes.values() for v in cells.flat}
    if len(kinds) > 1 and not kinds <= set(RANK):
        raise run.refused("a list of texts and numbers")
    dtype = kinds.pop() if len(kinds) == 1 else max(kinds, key=RANK.index)
    mixed = len({dtype} | kinds | {_dtype(v) for one in given[ANY] for v in cells_of(one).flat}) > 1
    if len({cells.shape for cells in lanes.values()}) > 1:
        raise run.refused("a list of arrays of several shapes")
    return Rows(view, lanes, dtype, listed=True, untyped=mixed)


def _dtype(value: Any) -> str:
    if value is _PLACE:
        return "place"
    if isinstance(value, str | Text):
        return "str"
    found_kind = kind(value)
    if found_kind is None:
        raise TypeError(f"a list of {described(value)}")
    return found_kind


def _cells(run: Run, ways: list[Any]) -> Any:
    """Return what all ways give, as cells without the records' axis."""
    if all(isinstance(way, Arr) for way in ways):
        shapes = {way.cells.shape for way in ways}
        if len(shapes) > 1:
            raise run.refused("a list of arrays of several shapes")
        cells = np.empty(shapes.pop(), dtype=object)
        for at in np.ndindex(*cells.shape):
            cells[at] = hull(run, [way.cells[at] for way in ways])
        return cells
    return cell(hull(run, ways))


def hull(run: Run, ways: list[Any]) -> Any:
    """Return what stands for any of several scalars."""
    first = ways[0]
    if all(way is first for way in ways) and not isinstance(first, Var):
        return first
    if all(isinstance(way, str | Text) for way in ways):
        return Text()
    spread = [unknown(w.snapshot() if isinstance(w, Var) else found(run, w)) for w in ways]
    return spanning(spread)


# --- lanes


def _followed(run: Run, view: View, body: Callable[[], Any]) -> dict[int, list[Any]]:
    """Return what a body gives for any record, on all its ways, and for each that changed."""
    left: dict[int, list[Any]] = {}
    with _lane(run, ANY):
        left[ANY] = list(_ways(run, body))
    for lane in view.changed:
        with _lane(run, lane):
            left[lane] = [body()]
    return left


@contextmanager
def _lane(run: Run, lane: int) -> Iterator[None]:
    run.lane, run.record, run.since = "any" if lane == ANY else "changed", lane, counted()
    run.anyone, run.norms = {}, []
    try:
        yield
        for norm in run.norms if lane != ANY else ():
            run.short.update(together(norm))
    finally:
        run.lane, run.record, run.since = None, None, None


MOST_WAYS = 2000


def _ways(run: Run, body: Callable[[], Any]) -> Iterator[Any]:
    """Yield what a body gives, for all outcomes of what is asked about any record."""
    script: list[tuple[int, int]] = []
    short = run.short
    for _ in range(MOST_WAYS):
        run.ways, run.asked, run.anyone = list(script), 0, {}
        run.short = dict(short)  # what a test tells of any record holds on this way
        try:
            yield body()
            taken = run.ways[: run.asked]
        finally:
            run.ways, run.short = None, short
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return
        script = [*taken[:-1], (taken[-1][0] + 1, taken[-1][1])]
    raise run.refused(f"a loop over records with more than {MOST_WAYS:,} ways")
