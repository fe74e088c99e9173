"""What is known of a value in two runs at once, on neighboring datasets D and D'.

A *value* stands for all pairs (v, v') that the two runs may hold at one point of the program,
given that they released the same outputs so far. Where one dataset has more records, D' is that
one; else the two may be exchanged.

========================  =====================================================================
value                     what it stands for
========================  =====================================================================
`Known`                   an object that is no number, the same in both runs: text, None, a
                          truth value, a NumPy array, a function
`Number`                  a scalar; `public` where it is the same in both runs (then `expr` says
                          which, a symbol where nobody knows)
`Array`                   numbers (or texts) in an array, a list or a column
`Table`                   columns of one row of records: structured array, frame, list of dicts
`Tuple`, `ListValue`,     what Python's display makes; lists and dicts are objects that change,
`DictValue`               shared by all their names
`ClosureValue`            a function defined inside
`Foreign`                 base class of values that another engine adds (noise, say)
========================  =====================================================================
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import sympy

from dpaudit.formal.bounds import (
    INFINITE,
    ONE,
    SIZE,
    ZERO,
    Bound,
    at_most,
    larger,
)
from dpaudit.formal.norms import UNBOUNDED, Norms
from dpaudit.formal.program import Function

_fresh = itertools.count(1)


def fresh() -> int:
    """Return a number that was not used before."""
    return next(_fresh)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """An object that is the same in both runs and is no number."""

    value: Any
    term: Hashable = None


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar.

    Attributes
    ----------
    low, high : Bound
        Every value lies between, in both runs.
    fall, rise : Bound
        v − fall <= v' <= v + rise. Infinite where NaN may occur.
    integer, boolean : bool
        Whether it is whole; whether it is a truth value (0 or 1).
    nan, infinite : bool
        Whether NaN or an infinity may occur.
    expr : Bound or None
        Of a public number: the value itself, exactly; a symbol where nobody knows.
    value : Any
        Of a constant: the Python number that the code holds.
    term : hashable or None
        How it was computed from the data: equal terms are equal values, run by run.
    source : Rows or None
        Where it is a function of these rows and of public values alone.
    why : str
        Why a bound is infinite.
    sure : Bound
        What v rises by at least (where positive), or falls by at least (where negative): a record
        more is one more for sure, so that n·q moves by q and no less.
    dtype : str
        NumPy's type of a scalar that may wrap round (`narrow.is_narrow`), else "".
    """

    low: Bound = -INFINITE
    high: Bound = INFINITE
    fall: Bound = INFINITE
    rise: Bound = INFINITE
    integer: bool = False
    boolean: bool = False
    nan: bool = False
    infinite: bool = False
    expr: Bound | None = None
    value: Any = None
    term: Hashable = None
    source: Rows | None = None
    why: str = ""
    sure: Bound = ZERO
    dtype: str = ""

    @property
    def change(self) -> tuple[Bound, Bound]:
        """Between what v' − v lies."""
        low = self.sure if self.sure != 0 and at_most(ZERO, self.sure) else -self.fall
        high = self.sure if self.sure != 0 and at_most(self.sure, ZERO) else self.rise
        return low, high

    def changing(self, low: Bound, high: Bound) -> Number:
        """Return the number with v' − v in [low, high]."""
        if low == -high:
            return replace(self, fall=high, rise=high, sure=ZERO)
        sure = low if at_most(ZERO, low) else high if at_most(high, ZERO) else ZERO
        if low == 0 == high or INFINITE in (high, -low):
            sure = ZERO
        return replace(self, fall=larger(ZERO, -low), rise=larger(ZERO, high), sure=sure)

    @property
    def public(self) -> bool:
        """Whether it is the same in both runs."""
        return bool(self.fall == 0 and self.rise == 0)

    @property
    def distance(self) -> Bound:
        """The most that the two runs may differ by."""
        return larger(self.fall, self.rise)

    @property
    def constant(self) -> bool:
        """Whether the Python number is known."""
        return self.value is not None


@dataclass(frozen=True, slots=True)
class Rows:
    """The records behind an axis: the same records, in the same order, wherever `id` is equal.

    Attributes
    ----------
    id : int
    relation : {"inserted", "replaced", "edited", "same"}
        How they differ between the runs. Inserted: D' has up to `count` more, at any places.
        Replaced: up to `count` differ, at the same places. Edited: up to `count` are taken out
        and up to `count` put in. Same: not at all.
    count : Bound
    certain : bool
        Of inserted rows: whether at least one is.
    least, most : Bound
        How many rows there are, in both runs.
    parent : Rows or None
        What they were chosen from, by `cell`: a term that is a function of the record alone.
    cell : hashable or None
        (term of the partition, its value), for disjoint parts of one parent; else the mask's term.
    """

    id: int
    relation: Literal["inserted", "replaced", "edited", "same"]
    count: Bound
    certain: bool = False
    least: Bound = ZERO
    most: Bound = SIZE
    parent: Rows | None = None
    cell: Hashable = None

    @property
    def public(self) -> bool:
        """Whether their number is the same in both runs."""
        return self.relation in ("replaced", "same")

    def length(self) -> Number:
        """Return their number."""
        expr = self.least if self.public and self.least == self.most else None
        value = int(expr) if isinstance(expr, sympy.Integer) else None
        fall: Bound = self.count if self.relation == "edited" else ZERO
        rise: Bound = ZERO if self.public else self.count
        if self.public and expr is None:
            expr = sympy.Symbol(f"rows_{self.id}", integer=True, nonnegative=True)
        return Number(
            self.least, self.most, fall, rise, True, expr=expr, value=value,
            term=("len", ("rows", self.id)), source=self,
            sure=ONE if self.relation == "inserted" and self.certain else ZERO,
        )  # fmt: skip

    def subset(self, cell: Hashable) -> Rows:
        """Return the rows that a mask keeps, which looks at the row alone."""
        relation = "edited" if self.relation == "replaced" else self.relation
        return Rows(fresh(), relation, self.count, False, ZERO, self.most, self, cell)


@dataclass(frozen=True, slots=True)
class Unaligned:
    """An axis whose length is private, and whose entries do not belong to records."""

    length: Number


Axis = Any
"""A `Rows`, an `Unaligned`, or a public length (a `Bound`)."""


@dataclass(frozen=True, slots=True)
class Array:
    """Numbers or texts in an array, a list or a column.

    Attributes
    ----------
    shape : tuple of Axis
        At most one axis is `Rows`: slice i along it is a function of record i and of public
        values alone.
    low, high, integer, boolean, nan, infinite, term, source, why
        As of a `Number`, for every entry.
    norms : Norms
        Of v' − v, entry by entry; infinite where lengths are private.
    rises, falls : bool
        Whether some entry of v' may exceed that of v, or be less.
    row : Norms
        Of each row (NaN aside), where there is an axis of rows.
    span : Norms
        Of the difference between any two rows.
    kind : {"number", "object"}
        What the entries are; `values` lists them where they are few.
    dtype : str
        NumPy's name of the type ("" in a list).
    container : {"array", "list", "pandas", "polars"}
    element : bool
        Whether it is not the array itself but its entry in the iteration over its rows.
    buffer : int
        Equal where arrays may share memory.
    """

    shape: tuple[Axis, ...]
    low: Bound = -INFINITE
    high: Bound = INFINITE
    integer: bool = False
    boolean: bool = False
    nan: bool = False
    infinite: bool = False
    norms: Norms = UNBOUNDED
    rises: bool = True
    falls: bool = True
    row: Norms = UNBOUNDED
    span: Norms = UNBOUNDED
    kind: Literal["number", "object"] = "number"
    values: tuple[Any, ...] | None = None
    dtype: str = "float64"
    container: str = "array"
    element: bool = False
    buffer: int = field(default_factory=fresh)
    term: Hashable = None
    source: Rows | None = None
    why: str = ""

    @property
    def rows(self) -> Rows | None:
        """The records behind one of the axes."""
        return next((axis for axis in self.shape if isinstance(axis, Rows)), None)

    @property
    def row_axis(self) -> int | None:
        """Which axis that is."""
        found = [i for i, axis in enumerate(self.shape) if isinstance(axis, Rows)]
        return found[0] if found else None

    @property
    def aligned(self) -> bool:
        """Whether both runs have the same shape."""
        return all(
            axis.public if isinstance(axis, Rows) else not isinstance(axis, Unaligned)
            for axis in self.shape
        )

    @property
    def public(self) -> bool:
        """Whether it is the same in both runs."""
        rows = self.rows
        if rows is not None:
            return rows.relation == "same"
        return self.aligned and self.norms.linf == 0

    @property
    def rest(self) -> tuple[Axis, ...]:
        """The shape of one row."""
        return tuple(axis for axis in self.shape if not isinstance(axis, Rows))

    @property
    def rest_size(self) -> Bound | None:
        """The number of entries of one row; None where it is private."""
        return _product(self.rest)

    @property
    def size(self) -> Bound | None:
        """The number of entries where it is public."""
        return _product(tuple(
            axis.least if isinstance(axis, Rows) and axis.public and axis.least == axis.most
            else axis
            for axis in self.shape
        ))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of the same records.

    Attributes
    ----------
    columns : dict of str to Array or Number
        Numbers where the table is a single record.
    container : {"array", "list", "pandas", "polars", "record"}
    element : bool
        Whether it is one record in the iteration over all.
    """

    columns: dict[str, Any]
    rows: Rows | None
    container: str = "array"
    element: bool = False
    term: Hashable = None


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple of values."""

    items: tuple[Value, ...]
    term: Hashable = None


@dataclass(slots=True, eq=False)
class ListValue:
    """A list of public length; one object for all its names.

    One that outlives the call is `frozen`: what changes it is refused.
    """

    items: list[Value]
    frozen: bool = False
    origin: Any = None


@dataclass(slots=True, eq=False)
class DictValue:
    """A dict with public keys; one object for all its names; `frozen` as of a list."""

    items: dict[Any, Value]
    frozen: bool = False
    origin: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class ClosureValue:
    """A function defined inside, and the variables that it sees."""

    function: Function
    frame: Any


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function that is passed around by its canonical name, or as an object to be run."""

    function: Any


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Two concrete objects, one for each run, where the datasets are listed one by one."""

    left: Any
    right: Any
    term: Hashable = None


class Foreign:
    """Base class of the values that another engine adds; every rule leaves them alone.

    A call with one of them among its arguments goes to `Hooks.call` first.
    """

    __slots__ = ()


Value = (
    Known
    | Number
    | Array
    | Table
    | Tuple
    | ListValue
    | DictValue
    | ClosureValue
    | FunctionValue
    | Both
    | Foreign
)


def _product(axes: tuple[Axis, ...]) -> Bound | None:
    total: Bound = sympy.Integer(1)
    for axis in axes:
        if isinstance(axis, Rows | Unaligned):
            return None
        total = total * axis
    return total
