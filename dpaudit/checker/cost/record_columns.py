"""Record columns: known for any record, and for each that changed.

A column is (f(r) for every record r) with one f. What f gives for any record bounds the whole; what
it gives for the records that changed says how a sum moves: by f of those that come, less f of those
that go. That is all that tells two neighboring datasets apart, so that no rule is needed for
histograms, disjoint parts or clipped sums: they are sums of columns, each followed for the one
record that changed, wherever its values may lie.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpaudit.checker.cost.arithmetic import within_range
from dpaudit.checker.cost.arrays import (
    Cells,
    cells_of,
    dtype_of,
    made,
    mapped,
    result_type,
    shown_cells,
)
from dpaudit.checker.cost.compare import found
from dpaudit.checker.cost.ends import (
    INF,
    ONE,
    ZERO,
    End,
    end,
    is_finite,
    least,
    most,
    product,
    sign,
)
from dpaudit.checker.cost.lengths import bounded_apart, change_of, in_short, is_told
from dpaudit.checker.cost.noise import is_noise
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import (
    NONE,
    Change,
    Group,
    Unknown,
    Vague,
    is_known,
    kept_ends,
    unknown,
)
from dpaudit.checker.operators import LOGIC, ORDERS

ANY = 0  # the lane of any record
_serials = itertools.count()


def counted() -> int:
    """Return a number that is larger than all before."""
    return next(_serials)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Some of the records, in their order.

    Attributes
    ----------
    before, after : tuple of int
        Records that changed and are among them in D, in D'.
    size : int or None
        How many they are, where that is public.
    most : End
        How many they are at most.
    whole : bool
        Whether they are all records.
    least : int
        How many they are at least, in D as in D'.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    size: int | None
    most: End = INF
    whole: bool = False
    least: int = 0

    @property
    def changed(self) -> tuple[int, ...]:
        """The records that changed."""
        return tuple(dict.fromkeys((*self.before, *self.after)))

    @property
    def replaces_one(self) -> bool:
        """Whether one record is replaced, and no other changes."""
        return len(self.before) == len(self.after) == 1

    def length(self) -> Any:
        """Return how many they are."""
        if self.size is not None:
            return self.size
        low = end(max(self.least, min(len(self.before), len(self.after))))
        moved = end(len(self.after) - len(self.before))
        return Unknown("int", low, self.most, Change(moved, moved), sum_of=(self, end(1)))


def records_of(length: Any) -> View | None:
    """Return the records of which a number is known to be how many they are."""
    known = isinstance(length, Unknown) and length.kind == "int" and length.sum_of is not None
    if not known or not isinstance(length.sum_of[0], View):
        return None
    view, factor = length.sum_of
    return view if factor == ONE else None


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A column of records.

    Attributes
    ----------
    view : View
    lanes : mapping of int to Cells
        Values for any record (`ANY`), and for each that changed: cells without the records' axis.
    dtype : str
    last : bool
        Whether the axis of records is the last one, else the first.
    listed : bool
        Whether it is a list, of which operators do other things.
    fresh : bool
        Whether its memory is new, and no view of another column's.
    serial : int
        Columns that were made later have larger numbers.
    unit : int, inf or None
        Of the column that names the unit of privacy: how many rows a unit has at most. Then all
        rows that changed are those of one unit, and no others are.
    untyped : bool
        Whether it was made of a list, which NumPy takes for floats where it holds nothing: a sum
        of integers in it is taken for a float. Of a list: whether its entries are of several types.
    categories : tuple or None
        Of texts: the labels that counts of them have, whichever occur.
    """

    view: View
    lanes: Mapping[int, Cells]
    dtype: str
    last: bool = False
    listed: bool = False
    fresh: bool = False
    serial: int = field(default_factory=counted)
    unit: int | float | None = None
    untyped: bool = False
    categories: tuple[Any, ...] | None = None

    @property
    def rest(self) -> tuple[int, ...]:
        """The other axes."""
        return tuple(self.lanes[ANY].shape)

    @property
    def from_right(self) -> int:
        """The place of the axis of records, counted from the right from 0."""
        return 0 if self.last else len(self.rest)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns by their names; there are others where some are hidden."""

    view: View
    columns: Mapping[str, Rows]
    hidden: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sorted:
    """A column in the order of its values."""

    rows: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The different values of a column."""

    rows: Rows

    def length(self) -> Unknown:
        """Return how many there are.

        A record that goes takes away at most one, one that comes adds at most one; all that come
        of one unit add one.
        """
        view = self.rows.view
        come = len(view.after) if self.rows.unit is None else min(1, len(view.after))
        top = INF if view.size is None else end(view.size)
        return Unknown("int", ZERO, top, Change(end(-len(view.before)), end(come)))


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where some of the records of `among` are, which one that comes or goes may shift."""

    view: View
    among: View


@dataclass(frozen=True, slots=True, eq=False)
class Centered:
    """A column less the mean of all records, whose number is public."""

    rows: Rows


def by_lane(run: Run, view: View, make: Callable[[int], Cells]) -> dict[int, Cells]:
    """Compute the values for any record, then for those that changed."""
    lanes = {}
    before = run.lane
    try:
        for lane in (ANY, *view.changed):
            run.lane = "any" if lane == ANY else "changed"
            lanes[lane] = make(lane)
    finally:
        run.lane = before
    return lanes


def elementwise(run: Run, name: str, function: Callable[..., Any], *operands: Any) -> Any:
    """Apply a function of scalars to each entry of arrays and columns."""
    if not any(isinstance(o, Rows) for o in operands):
        dtype = result_type(run, name, [dtype_of(run, o) for o in operands])
        return made(mapped(function, *map(cells_of, operands)), dtype)
    columns = [o for o in operands if isinstance(o, Rows)]
    first = columns[0]
    at = {column.from_right for column in columns}
    if len(at) > 1 or any(column.view is not first.view for column in columns):
        raise run.refused("an operation on columns of different records")
    others = {id(o): _beside(run, o, first.from_right) for o in operands if not isinstance(o, Rows)}
    types = [o.dtype if isinstance(o, Rows) else dtype_of(run, o) for o in operands]
    dtype = result_type(run, name, types)
    untyped = any(is_untyped(run, column) for column in columns)
    if untyped and (name in LOGIC or name == "not"):
        raise _typed_by_records(run)

    def lane(which: int) -> Cells:
        parts = [o.lanes[which] if isinstance(o, Rows) else others[id(o)] for o in operands]
        cells = mapped(function, *parts)
        return cells if which == ANY else mapped(told_more, cells)

    lanes = by_lane(run, first.view, lane)
    last = first.from_right == 0 and bool(lanes[ANY].ndim)
    untyped = untyped and dtype != "float" and name not in ORDERS
    return Rows(first.view, lanes, dtype, last, fresh=True, untyped=untyped)


def _typed_by_records(run: Run) -> Exception:
    return run.refused("an array made of a list, whose type is another where there are no records")


def holds_records(run: Run, view: View) -> bool:
    """Whether there is a record among some in both runs, as far as this path tells."""
    if view.size is not None:
        return view.size > 0
    some = view.least > 0 or bool(view.before and view.after)
    return some or any(known is view for known in run.nonempty)


def is_untyped(run: Run, rows: Rows) -> bool:
    """Whether an array of a column has another type where there are no records."""
    if rows.listed and rows.dtype != "float" and not holds_records(run, rows.view):
        return True
    return rows.untyped


def validate_typed(run: Run, rows: Rows) -> None:
    """Refuse what NumPy takes for floats where there are no records, and so for no index."""
    if rows.untyped:
        raise _typed_by_records(run)


def told_more(value: Any) -> Any:
    """Return a number of a record that changed as one of which each test tells more."""
    plain = isinstance(value, Unknown) and value.kind != "bool" and is_told(value)
    if not plain or not value.regular or not value.shared:
        return value
    variable = Var(value.kind, value.low, value.high, kept=kept_ends(value))
    variable.made = value.made
    return variable


def _beside(run: Run, value: Any, from_right: int) -> Cells:
    """Return public cells without the axis along which the records lie; noise is shown first."""
    cells = cells_of(value)
    axis = cells.ndim - 1 - from_right
    if axis >= 0 and (cells.shape[axis] != 1 or any(map(is_noise, cells.flat))):
        raise run.refused("records combined with an array of their length")
    if run.lane is None:
        cells = shown_cells(run, cells)
    for entry in cells.flat:
        if not is_known(entry) and not (isinstance(entry, Unknown) and entry.shared):
            raise run.refused("records combined with what is private, noisy or not understood")
    if cells.ndim <= from_right:
        return cells
    if cells.ndim - 1 > from_right > 0:
        raise run.refused("records combined with an array of their length")
    return np.take(cells, 0, axis=axis)


def chosen(run: Run, rows: Rows, mask: Rows) -> View:
    """Return the records for which a column of truth values is true."""
    view = rows.view
    if mask.view is not view or mask.dtype != "bool" or mask.rest:
        raise run.refused("a choice of records by this")
    validate_typed(run, mask)
    inside = {}
    for lane in view.changed:
        value = found(run, mask.lanes[lane][()])
        inside[lane] = value if isinstance(value, bool) else run.fork(2) == 0
    if mask.lanes[ANY][()] is True and all(inside.values()):
        return view
    return View(
        tuple(i for i in view.before if inside[i]),
        tuple(i for i in view.after if inside[i]),
        None,
        view.most,
    )


def within(rows: Rows, view: View) -> Rows:
    """Return a column of some of its records."""
    lanes = {ANY: rows.lanes[ANY], **{lane: rows.lanes[lane] for lane in view.changed}}
    return Rows(
        view, lanes, rows.dtype, rows.last, rows.listed, unit=rows.unit, untyped=rows.untyped,
        categories=rows.categories,
    )  # fmt: skip


def summed(run: Run, rows: Rows, apart: frozenset[Group] | None = None) -> Cells:
    """Return the sums over the records; one number for entries that are one for every record.

    Parameters
    ----------
    run : Run
    rows : Rows
    apart : frozenset of Group, optional
        Vectors whose entries are bounded one by one; those for which it does not matter unless
        given.

    Raises
    ------
    NotCheckedError
        Where a record's value may be NaN, or nothing bounds it.
    """
    cells = np.empty(rows.rest, dtype=object)
    kind = "float" if rows.dtype == "float" else "int"
    if rows.dtype == "str":
        raise run.refused("a sum of texts")
    seen: dict[tuple[int, ...], Any] = {}
    entries = {
        lane: mapped(lambda value: bounded(run, value), values)
        for lane, values in rows.lanes.items()
    }
    if apart is None:
        changed = (value for lane in rows.view.changed for value in entries[lane].flat)
        apart = bounded_apart(changed)
    for at in np.ndindex(*rows.rest):
        alike = tuple(id(values[at]) for values in rows.lanes.values())
        if alike in seen:
            cells[at] = seen[alike]
            continue
        change = NONE
        for lane in rows.view.after:
            change = change.plus(change_of(entries[lane][at], ONE, apart))
        for lane in rows.view.before:
            change = change.plus(change_of(entries[lane][at], -ONE, apart))
        low, high = _total(rows.view, entries[ANY][at])
        source = (rows, end(1)) if not rows.rest else None
        total = within_range(run, Unknown(kind, low, high, change, sum_of=source))  # type: ignore[arg-type]
        untyped = rows.untyped and not rows.listed
        cells[at] = seen[alike] = replace(total, kind="float") if untyped else total
    return cells


def bounded(run: Run, value: Any) -> Unknown:
    """Return a record's value as an interval that has ends."""
    value = found(run, in_short(value, run.short))
    value = value.snapshot() if isinstance(value, Var) else value
    x = Unknown("float", infinite=True) if isinstance(value, Vague) else unknown(value)
    if not x.regular:
        raise run.refused("a sum of what may be NaN or infinite")
    if not (is_finite(x.low) and is_finite(x.high)):
        raise run.refused("a sum of values that nothing bounds")
    return x


def _total(view: View, each: Unknown) -> tuple[End, End]:
    """Return between what the sum lies."""
    if view.size is not None:
        count = end(view.size)
        return each.low * count, each.high * count
    low = ZERO if sign(each.low) >= 0 else product((each.low, each.low), (ZERO, view.most))[0]
    high = ZERO if sign(each.high) <= 0 else product((each.high, each.high), (ZERO, view.most))[1]
    return least((low, ZERO)), most((high, ZERO))


def spread_product(run: Run, one: Centered, other: Centered) -> Unknown:
    """Return Σ (x - mean of x)(y - mean of y) over n records, of which one is replaced.

    Σ over n records is Σ over the n - 1 others plus (n-1)/n (x - a)(y - b), where a and b are the
    means of those others (Welford 1962). So it moves by (n-1)/n [(x'-a)(y'-b) - (x-a)(y-b)], which
    is affine in each of its six variables, and largest at corners of their ranges.
    """
    view = one.rows.view
    if other.rows.view is not view or not (view.replaces_one and view.whole) or view.size is None:
        raise run.refused("a sum of products about means of these records")
    n = view.size
    ranges = []
    for column in (one.rows, other.rows):
        x = bounded(run, column.lanes[ANY][()])
        ends = [bounded(run, column.lanes[lane][()]) for lane in view.changed]
        low, high = least((x.low, *(e.low for e in ends))), most((x.high, *(e.high for e in ends)))
        ranges.append((low, high))
    (p, q), (r, s) = ranges
    corners = [(x - a) * (y - b) for x in (p, q) for a in (p, q) for y in (r, s) for b in (r, s)]
    moves = []
    for a in (p, q):
        for b in (r, s):
            here = [(x - a) * (y - b) for x in (p, q) for y in (r, s)]
            moves.append(most(here) - least(here))
    far = most(moves) * (n - 1) / n if n > 0 else ZERO
    low, high = least(corners) * n, most(corners) * n
    return Unknown("float", low, high, Change(-far, far))


def centered(rows: Rows, mean: Unknown) -> Centered | None:
    """Return a column less its own mean, None where that is not what is subtracted."""
    if mean.sum_of is None or not isinstance(mean.sum_of[0], Rows):
        return None
    of, factor = mean.sum_of
    n = rows.view.size
    alike = of.view is rows.view and of.lanes is rows.lanes
    if not alike or not rows.view.whole or n is None or n == 0 or rows.rest:
        return None
    if (factor * n - 1).sign() != 0:
        return None
    return Centered(rows)
