"""Entries of lists, dicts, arrays and columns, and changes to them in place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.checker.cost import (
    array_functions,
    each_run,
    frame_rows,
    frames,
    groups,
    keyed,
    labelled,
    positional_records,
    sheets,
    users,
)
from dpaudit.checker.cost.arithmetic import order_told, retold
from dpaudit.checker.cost.arrays import (
    Arr,
    Cells,
    cell,
    cells_of,
    is_shared,
    known_index,
    made,
    mapped,
    shown_cells,
    stored,
)
from dpaudit.checker.cost.compare import MOST_CHOICES, decided
from dpaudit.checker.cost.constants import CHANGED, FixedDict, FixedList
from dpaudit.checker.cost.ends import end, least, less, most
from dpaudit.checker.cost.frames import Frame, Series
from dpaudit.checker.cost.noise import Noisy, shown
from dpaudit.checker.cost.one_by_one import (
    ByPlace,
    Filling,
    entry_at,
    fill,
    filled_at,
    settled,
)
from dpaudit.checker.cost.parts import Record
from dpaudit.checker.cost.python_functions import as_int
from dpaudit.checker.cost.record_columns import (
    ANY,
    Places,
    Rows,
    Table,
    View,
    bounded,
    by_lane,
    chosen,
    validate_typed,
    within,
)
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sampling import (
    MarkedPlaces,
    SampleMask,
    SamplePlaces,
    Shuffled,
    of_sample,
)
from dpaudit.checker.cost.selection import Ranking
from dpaudit.checker.cost.shared import takes_up
from dpaudit.checker.cost.values import (
    LENT,
    RANK,
    SHARED,
    Change,
    Chosen,
    Shared,
    Text,
    Unknown,
    kind_of,
    parts_of,
    spanning,
    unknown,
)
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.wording import described

_CONTENTS = (Arr, list, tuple, dict, range)


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """A slice of which the ends are not known, and the same in both runs."""


def entry(run: Run, of: Any, at: Any) -> Any:
    """Return ``of[at]``."""
    try:
        return _entry(run, of, at)
    except NotCheckedError:
        placed = positional_records.placed(run, (of,)) or (of,)
        known = at if placed[0] is not of else decided(run, at)
        if placed[0] is of and known is at:
            raise
    except (IndexError, KeyError, ValueError) as error:
        raise run.refused(f"an index outside of what it indexes ({error!s:.60})") from None
    return entry(run, placed[0], known)


def _entry(run: Run, of: Any, at: Any) -> Any:
    given = [of, at]
    sampled = of_sample(run, "operator.getitem", lambda both, _: _entry(run, *both), given, {})
    if sampled is not None:
        return sampled[0]
    if isinstance(of, Shuffled):
        return of.part(run, at)
    if kind_of(at) == "float" and isinstance(of, list | tuple | Arr):
        raise run.refused("an index that is no integer")
    if isinstance(of, ByPlace):
        return entry_at(run, of, at)
    if isinstance(of, Filling):
        return filled_at(run, of, at)
    each = each_run.in_each(at)
    if each is not None and isinstance(of, _CONTENTS):
        one, other = (_entry(run, of, where) for where in each)
        if isinstance(one, Arr) and isinstance(other, Arr) and one.dtype == other.dtype:
            return Arr(_torn(run, one.cells, other.cells), one.dtype)
        return each_run.torn(run, one, other, typed=isinstance(of, Arr | range))
    if isinstance(at, Between):
        listed = run.lane is None and isinstance(of, list | tuple)
        if listed and all(is_shared(shown(run, item)) for item in of):
            return SHARED
        raise run.refused("a slice of which the ends are not known")
    if isinstance(of, keyed.Keyed):
        return keyed.entry(run, of, at)
    if run.lane is not None and isinstance(at, Unknown | Shared):
        raise run.refused("an index that a record tells")
    match of:
        case Record() if isinstance(at, str):
            return of.columns[at]
        case frame_rows.Row():
            return frame_rows.entry(run, of, at)
        case list() | tuple() | range():
            if isinstance(at, slice):
                return of[at]
            if type(at) is int:
                return of[at]
            if isinstance(at, Unknown | Shared) and is_shared(at) and len(of):
                return any_of(run, [shown(run, item) for item in of])
        case str() if type(at) is int:
            return of[at]
        case str() if isinstance(at, Unknown | Shared) and is_shared(at):
            return SHARED
        case dict():
            if keyed.is_key(at):
                return of[at]
            if is_shared(at) and of:
                return any_of(run, [shown(run, item) for item in of.values()])
        case Arr():
            return _of_array(run, of, at)
        case Table():
            if isinstance(at, str):
                return of.columns[at]
            if isinstance(at, SampleMask | MarkedPlaces | SamplePlaces):
                return at.of(run, of)
            if isinstance(at, Rows):
                view = chosen(run, next(iter(of.columns.values())), at)
                return Table(view, {n: _kept(run, c, view, at) for n, c in of.columns.items()})
        case Rows():
            return _of_rows(run, of, at)
        case Frame() | Series():
            return frames.entry(run, of, at)
        case users.OfUsers() | users.ByOther():
            return users.entry(run, of, at)
        case frames.ByNumber() if isinstance(of.of, Frame) and type(at) is int:
            return frame_rows.at_number(run, of.of, at)
        case frames.ByNumber():
            return frames.at_number(run, of.of, at)
        case labelled.Tally() | labelled.Labelled():
            return labelled.entry(run, of, at)
        case sheets.Sheet():
            return sheets.entry(run, of, at)
        case groups.Groups():
            return groups.entry(run, of, at)
        case Ranking():
            found = of.at(run, at)
            if not of.items or isinstance(found, Ranking):
                return found
            several = isinstance(found, Arr)
            items = [any_of(run, list(of.items)) for _ in (found.cells if several else (0,))]
            return items if several else items[0]
        case Shared() if isinstance(at, slice) or is_shared(at):
            return of
    raise run.refused(f"this index of {described(of)}")


def _of_array(run: Run, of: Arr, at: Any) -> Any:
    if isinstance(at, Rows):
        return _of_each_record(run, of, at)
    if isinstance(at, Unknown | Shared) and is_shared(at):
        return _somewhere(run, of, at)
    where = _indices(at)
    known = tuple(i if i is None or isinstance(i, slice) else known_index(i) for i in where)
    if any(k is None and i is not None for k, i in zip(known, where, strict=True)):
        if not all(i is None or isinstance(i, slice) or is_shared(i) for i in where):
            raise run.refused("an entry at an index that is not known")
        cells = of.cells if run.lane else shown_cells(run, of.cells)
        if all(map(is_shared, cells.flat)):
            return lent(run, (of,))
        raise run.refused("an entry at an index that is not known")
    found = of.cells[known]
    return Arr(found, of.dtype) if isinstance(found, np.ndarray) else found


def _indices(at: Any) -> tuple[Any, ...]:
    """Return the index along each axis."""
    return tuple(map(_listed_index, at if isinstance(at, tuple) else (at,)))


def _listed_index(at: Any) -> Any:
    """Return a list of whole numbers, or of truth values, as the array that NumPy makes of it."""
    types = {type(i) for i in at} if isinstance(at, list) else set()
    return Arr(np.array(at, dtype=object), types.pop().__name__) if types in ({int}, {bool}) else at


def _of_each_record(run: Run, of: Arr, at: Rows) -> Rows:
    """Return the entry, or the row, at the index that each record has."""
    _validate_places(run, of, at)
    if not is_shared(of) or of.dtype == "str":
        raise run.refused("private entries at the indices of records")

    def lane(which: int) -> Cells:
        if which != ANY:
            found = of.cells[_place(run, of, at, which)]
            return found.copy() if isinstance(found, np.ndarray) else cell(found)
        rest = of.cells.shape[1:]
        found = np.empty(rest, dtype=object)
        for place in np.ndindex(*rest):
            found[place] = spanning([unknown(v) for v in of.cells[(slice(None), *place)]])
        return found

    return Rows(at.view, by_lane(run, at.view, lane), of.dtype, fresh=True)


def _store_at_each_record(run: Run, of: Arr, at: Rows, value: Any) -> None:
    """Put one number wherever a record says: which of others say so, both runs share."""
    _validate_places(run, of, at)
    single = of.cells.ndim == 1 and not isinstance(value, Arr | list | tuple)
    if not single or not is_shared(value) or not is_shared(of):
        raise run.refused("private entries, or several, at the indices of records")
    (new,) = _converted(run, value, of.dtype).reshape(1)
    places = {lane: _place(run, of, at, lane) % len(of.cells) for lane in at.view.changed}
    before, after = ({places[lane] for lane in lanes} for lanes in (at.view.before, at.view.after))
    for place, old in enumerate(of.cells):
        others = spanning([unknown(old), unknown(new)])
        one, other = (new if place in those else others for those in (before, after))
        of.cells[place] = each_run.torn(run, one, other, typed=True)


def _place(run: Run, of: Arr, at: Rows, lane: int) -> int:
    """Return the index that a record has which changed."""
    place = settled(run, of, at.lanes[lane][()])
    if type(place) is not int:
        raise run.refused("an index that a record tells")
    return place


def _validate_places(run: Run, of: Arr, at: Rows) -> None:
    """Refuse indices of which some may be outside."""
    validate_typed(run, at)
    if at.rest or at.dtype != "int" or not of.cells.ndim or not len(of.cells):
        raise run.refused("an entry at an index that is not known")
    size = end(len(of.cells))
    for cells in at.lanes.values():
        x = bounded(run, cells[()])
        if less(x.low, -size) or not less(x.high, size):
            raise run.refused("an index that may be outside of what it indexes")


def _somewhere(run: Run, of: Arr, at: Unknown | Shared) -> Any:
    """Return the entry, or the row, at an index that nobody knows and both runs hold alike."""
    if of.cells.ndim > 1:
        run.held.append(of.cells)  # the row is a view, and which one is not known
    if run.lane is None:
        of = Arr(shown_cells(run, of.cells), of.dtype)
    kind: Any = of.dtype
    single = isinstance(at, Unknown) and at.kind == "int" and kind != "str"
    if not single or not of.cells.ndim:
        if not is_shared(of):
            raise run.refused("an entry at an index that is not known")
        if of.cells.ndim > 1:
            return LENT
        return Unknown(kind) if of.cells.ndim == 1 and kind != "str" else SHARED
    rest = of.cells.shape[1:]
    found = np.empty(rest, dtype=object)
    for place in np.ndindex(*rest):
        found[place] = one_of(run, list(of.cells[(slice(None), *place)]), kind)
    found.flags.writeable = False
    return made(found, kind)


def one_of(run: Run, entries: list[Any], kind: Any) -> Unknown:
    """Return one of several numbers, the same one in both runs."""
    if all(map(is_shared, entries)):
        return Unknown(kind)
    values = [unknown(e) for e in entries if kind_of(e) is not None]
    if len(values) < len(entries) or not all(v.regular for v in values):
        raise run.refused("an entry at an index that is not known")
    ends = [v.change.ends() for v in values]
    change = Change(least(low for low, _ in ends), most(high for _, high in ends))
    return Unknown(kind, least(v.low for v in values), most(v.high for v in values), change)


def any_of(run: Run, items: list[Any]) -> Any:
    """Return what stands for any of several values, the same one in both runs."""
    if all(isinstance(item, tuple) for item in items) and len({len(item) for item in items}) == 1:
        return tuple(any_of(run, list(parts)) for parts in zip(*items, strict=True))
    numbers = all(kind_of(item) is not None for item in items)
    if all(map(is_shared, items)):
        if not numbers:
            texts = all(isinstance(item, str | Text) for item in items)
            return _text_of(run, items) if texts else lent(run, items)
        return spanning([unknown(item) for item in items])
    if not numbers:
        raise run.refused("an order of private values that are no numbers")
    return one_of(run, items, max((kind_of(item) for item in items), key=RANK.index))


def lent(run: Run, items: Iterable[Any]) -> Shared:
    """Return what may be any of several, none of which the program may change from now on."""
    for item in items:
        if isinstance(item, Arr):
            run.held.append(item.cells)
        elif isinstance(item, list | dict):
            run.lent.append(item)
        lent(run, parts_of(item))
    return LENT


def _text_of(run: Run, items: list[Any]) -> Shared:
    """Return one of several texts."""
    texts = tuple(dict.fromkeys(items))
    known = run.lane is None and all(type(text) is str for text in texts)
    return Chosen(texts) if known and len(texts) <= MOST_CHOICES else SHARED


def _kept(run: Run, of: Rows, view: View, mask: Rows) -> Rows:
    """Return a column of the records that a mask keeps, and what it tells of any of them."""
    kept, test = within(of, view), mask.lanes[ANY][()]
    tested = test.tested if isinstance(test, Unknown) else None
    value = None if of.rest else kept.lanes[ANY][()]
    if tested is None or not isinstance(value, Unknown):
        return kept
    told = retold(run, value, tested, order_told(tested, outcome=True))
    return replace(kept, lanes={**kept.lanes, ANY: cell(told)})


def _of_rows(run: Run, of: Rows, at: Any) -> Any:
    if isinstance(at, SampleMask | MarkedPlaces | SamplePlaces) and not of.listed:
        return at.of(run, of)
    if isinstance(at, Places) and at.among is of.view and not of.last and not of.listed:
        return within(of, at.view)
    if isinstance(at, Rows) and not of.last and not of.listed:
        return _kept(run, of, chosen(run, of, at), at)
    if not of.last and not of.listed:
        if type(at) is int:
            return positional_records.at_place(run, of, at)
        listed = at if isinstance(at, list) else list(at.cells.flat) if _is_line(at) else []
        if listed and all(type(i) is int for i in listed):
            return positional_records.at_places(run, of, listed)
        if listed and all(type(i) is bool for i in listed) and len(listed) == of.view.size:
            return positional_records.at_places(
                run, of, [i for i, kept in enumerate(listed) if kept]
            )
    size = of.view.size
    if isinstance(at, slice) and not of.last and not of.listed and size is not None:
        plain = all(e is None or type(e) is int for e in (at.start, at.stop, at.step))
        if plain and of.view.whole and len(of.view.before) == 1 and size <= positional_records.MOST:
            inside = list(range(size)[at])
            if inside:
                return positional_records.at_places(run, of, inside)
    if at == slice(None) and not of.listed:
        return of
    first = _first(run, of, at)
    if first is not None:
        return first
    if of.listed:
        raise run.refused("an index of records by their place")
    return _along_axes(run, of, at if isinstance(at, tuple) else (at,))


def _along_axes(run: Run, of: Rows, where: tuple[Any, ...]) -> Rows:
    """Return all records at an index along the other axes, which may add axes of length 1."""
    left, axis = len(of.rest) if of.last else 0, 0
    before: list[Any] = []
    after: list[Any] = []
    for i in where:
        if i is not None and not isinstance(i, slice) and type(i) is not int:
            raise run.refused("this index of records")
        if i is not None and axis == left and i != slice(None):
            raise run.refused("an index of records by their place")
        if i is None or axis != left:
            (after if axis > left else before).append(i)
        axis += i is not None

    def lane(which: int) -> Cells:
        found = of.lanes[which][(*before, *after)]
        return found if isinstance(found, np.ndarray) else cells_of(found)

    lanes = by_lane(run, of.view, lane)
    axes = lanes[ANY].ndim
    in_front = axes - len(after) if of.last else len(before)
    if 0 < in_front < axes:
        raise run.refused("an array in which the axis of records is in the middle")
    return Rows(of.view, lanes, of.dtype, in_front > 0, untyped=of.untyped)


def _is_line(at: Any) -> bool:
    return isinstance(at, Arr) and at.cells.ndim == 1


def _first(run: Run, of: Rows, at: Any) -> Rows | None:
    """Return the first so many of records of which some are replaced at their places.

    Each pair of a record that goes and the one that comes for it lies inside, or not.
    """
    view = of.view
    if of.last or of.listed or not isinstance(at, slice) or at.start is not None or not view.whole:
        return None
    count, plain = at.stop, at.step is None and type(at.stop) is int and at.stop >= 0
    if not plain or view.size is None or len(view.before) != len(view.after):
        return None
    pairs = [pair for pair in zip(view.before, view.after, strict=True) if run.fork(2) == 0]
    size = min(count, view.size)
    if len(pairs) > size:
        raise run.refused("the first records")
    before, after = tuple(i for i, _ in pairs), tuple(j for _, j in pairs)
    return within(of, View(before, after, size, end(size)))


def store(run: Run, of: Any, at: Any, value: Any) -> None:
    """Put ``of[at] = value``."""
    if isinstance(of, FixedList | FixedDict) or run.is_lent(of):
        raise run.refused(CHANGED)
    at = decided(run, at) if isinstance(of, dict) and isinstance(at, Chosen) else at
    if isinstance(of, Shared) and takes_up(run, of, at, value):
        return
    if isinstance(of, Filling):
        fill(run, of, at, value)
        return
    if isinstance(of, Frame):
        frames.store(run, of, at, value)
        return
    if isinstance(of, users.OfUsers):
        users.store(run, of, at, value)
        return
    if isinstance(of, sheets.Sheet):
        sheets.store(run, of, at, value)
        return
    if isinstance(of, keyed.Keyed):
        keyed.store(run, of, at, value)
        return
    each = each_run.in_each(at)
    if each is not None and isinstance(of, Arr | list | dict):
        _store_in_each(run, of, each, value)
        return
    try:
        if isinstance(of, list) and type(at) is int:
            of[at] = value
            return
        if isinstance(of, list) and isinstance(at, Unknown) and run.lane is None:
            _store_in_list(run, of, at, value)
            return
        if isinstance(of, list) and _is_plain(at) and isinstance(value, list | tuple):
            of[at] = list(value)
            return
        if isinstance(of, dict) and keyed.is_key(at):
            of[at] = value
            return
        if isinstance(of, Arr):
            _validate_own(run, of)
            if isinstance(at, Rows):
                _store_at_each_record(run, of, at, value)
                return
            if _is_mask(of, at) and kind_of(value) is not None:
                held = Arr(shown_cells(run, of.cells), of.dtype)
                change(run, of, array_functions.where(run, at, shown(run, value), held))
                return
            where = _indices(at)
            known = tuple(i if isinstance(i, slice) else known_index(i) for i in where)
            if any(k is None for k in known):
                _store_somewhere(run, of, where, value)
                return
            part = of.cells[known]
            if isinstance(part, np.ndarray) and np.shares_memory(part, of.cells):
                change(run, Arr(part, of.dtype), value)
                return
            if isinstance(value, Noisy) and of.dtype == "int" and not value.whole:
                value = as_int(run, value)  # the part behind its point is lost
            new = _converted(run, value, of.dtype)
            of.cells[known] = new if new.ndim else new[()]
            return
    except (IndexError, ValueError) as error:
        raise run.refused(f"an assignment that does not fit ({error!s:.60})") from None
    raise run.refused(f"an assignment to an entry of {described(of)}")


def _store_somewhere(run: Run, of: Arr, where: tuple[Any, ...], value: Any) -> None:
    """Put a number at places that nobody knows and both runs hold alike."""
    held = shown_cells(run, of.cells)
    places = all(i is None or isinstance(i, slice) or is_shared(i) for i in where)
    if not places or not all(map(is_shared, (value, *held.flat))) or kind_of(value) is None:
        raise run.refused(f"an assignment to an entry of {described(of)}")
    (new,) = _converted(run, value, of.dtype).reshape(1)
    of.cells[...] = mapped(lambda old: spanning([unknown(old), unknown(new)]), held)


def _store_in_list(run: Run, of: list[Any], at: Unknown, value: Any) -> None:
    """Put a number at a place of a list that nobody knows and both runs hold alike."""
    held = [shown(run, item) for item in of]
    numbers = all(kind_of(item) is not None for item in (value, *held))
    if not (numbers and all(map(is_shared, (at, value, *held)))):
        raise run.refused(f"an assignment to an entry of {described(of)}")
    of[:] = [spanning([unknown(old), unknown(value)]) for old in held]


def _is_mask(of: Arr, at: Any) -> bool:
    """Whether an index tells of each entry of an array whether it is meant."""
    return isinstance(at, Arr) and at.dtype == "bool" and at.cells.shape == of.cells.shape


def _store_in_each(run: Run, of: Any, each: tuple[Any, Any], value: Any) -> None:
    """Put a value at one place in the first run, and at another in the second."""
    before, left = contents(of), []
    for where in each:
        store(run, of, where, value)
        left.append(contents(of))
        restore(of, before)
    one, other = left
    if isinstance(of, Arr):
        restore(of, _torn(run, one, other))
        return
    keys = list(range(len(one)) if isinstance(one, list) else one)
    if len(one) != len(other) or (isinstance(one, dict) and keys != list(other)):
        raise run.refused("keys that differ between two datasets")
    for key in keys:
        of[key] = each_run.torn(run, one[key], other[key], typed=False)


def _torn(run: Run, one: Cells, other: Cells) -> Cells:
    if one.shape != other.shape:
        raise run.refused("an array of which the shape is private")
    return mapped(lambda x, y: each_run.torn(run, x, y, typed=True), one, other)


def contents(of: Any) -> Any:
    """Return a copy of what an array, a list or a dict holds."""
    return of.cells.copy() if isinstance(of, Arr) else of.copy()


def restore(of: Any, held: Any) -> None:
    """Let an array, a list or a dict hold what it held before."""
    if isinstance(of, Arr):
        of.cells[...] = held
    elif isinstance(of, list):
        of[:] = held
    else:
        of.clear()
        of.update(held)


def _is_plain(at: Any) -> bool:
    """Whether an index is a slice with known ends."""
    if not isinstance(at, slice):
        return False
    return all(end is None or type(end) is int for end in (at.start, at.stop, at.step))


def change(run: Run, array: Arr, value: Any) -> None:
    """Put values into an array in place."""
    _validate_own(run, array)
    new = _converted(run, value, array.dtype)
    try:
        array.cells[...] = np.broadcast_to(new, array.cells.shape)
    except ValueError as error:
        raise run.refused(f"a change of an array in place ({error!s:.60})") from None


def _validate_own(run: Run, array: Arr) -> None:
    if run.untyped:
        raise run.refused("a change of an array where the records tell the types of numbers")
    validate_memory(run, array)


def validate_memory(run: Run, array: Arr) -> None:
    """Refuse an array whose memory an object may share of which nothing but its values is known."""
    if not array.cells.flags.writeable or run.is_lent(array):
        raise run.refused("a change of an array whose memory another object may share")


def _converted(run: Run, value: Any, dtype: str) -> Cells:
    """Return values as they are once they lie in the array."""
    if isinstance(value, list | tuple):
        value = _listed(value)
    if isinstance(value, Rows | Table | dict | Shared):
        raise run.refused(f"{described(value)} in an array")
    return mapped(lambda v: stored(run, v, dtype), cells_of(value))


def _listed(values: Any) -> Any:
    cells = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        cells[at] = value
    return Arr(cells, "float")
