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

import numpy as np
import sympy

from dpaudit.formal.bounds import (
    INFINITE,
    ONE,
    SIZE,
    ZERO,
    Bound,
    at_most,
    exact,
    larger,
    smaller,
    square_root,
    tighter,
    times,
    width,
)
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
class Norms:
    """Bounds on a vector: number of entries that are not 0, sum, length, largest entry."""

    l0: Bound = INFINITE
    l1: Bound = INFINITE
    l2: Bound = INFINITE
    linf: Bound = INFINITE

    def tightened(self, size: Bound | None = None) -> Norms:
        """Return the bounds that follow from one another, for vectors of `size` entries."""
        l0 = self.l0 if size is None else tighter(self.l0, size)
        l2 = tighter(self.l2, self.l1)
        linf = tighter(self.linf, l2)
        if l0 is not INFINITE:
            l2 = tighter(l2, times(square_root(l0), linf))
            l1 = tighter(tighter(self.l1, times(l0, linf)), times(square_root(l0), l2))
        else:
            l1 = self.l1
        l2 = tighter(l2, l1)
        return Norms(l0, l1, l2, linf)

    def times(self, many: Bound) -> Norms:
        """Return the bounds of a sum of `many` such vectors."""
        return Norms(
            times(self.l0, many), times(self.l1, many), times(self.l2, many),
            times(self.linf, many),
        )  # fmt: skip

    def scaled(self, factor: Bound) -> Norms:
        """Return the bounds of `factor` times the vector, factor >= 0."""
        return Norms(
            self.l0,
            times(self.l1, factor),
            times(self.l2, factor),
            times(self.linf, factor),
        )

    def plus(self, other: Norms) -> Norms:
        """Return the bounds of a sum of two vectors."""
        return Norms(
            self.l0 + other.l0,
            self.l1 + other.l1,
            self.l2 + other.l2,
            self.linf + other.linf,
        )

    def joined(self, other: Norms) -> Norms:
        """Return bounds that hold for both."""
        return Norms(
            larger(self.l0, other.l0),
            larger(self.l1, other.l1),
            larger(self.l2, other.l2),
            larger(self.linf, other.linf),
        )

    def within(self, other: Norms) -> Norms:
        """Return the smaller of each."""
        return Norms(
            tighter(self.l0, other.l0),
            tighter(self.l1, other.l1),
            tighter(self.l2, other.l2),
            tighter(self.linf, other.linf),
        )


NO_CHANGE = Norms(ZERO, ZERO, ZERO, ZERO)


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
    norms: Norms = Norms()
    rises: bool = True
    falls: bool = True
    row: Norms = Norms()
    span: Norms = Norms()
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


def constant(value: Any) -> Value:
    """Return a Python object that both runs hold as a value."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes):
        return Known(value, ("known", type(value).__name__, value))
    if isinstance(value, int | float) or type(value).__name__ == "Fraction":
        if value != value:
            return Known(value)
        number = exact(value)
        return Number(
            number, number, ZERO, ZERO, isinstance(value, int),
            infinite=number in (sympy.oo, -sympy.oo), expr=number, value=value,
            term=("public", number),
        )  # fmt: skip
    if isinstance(value, tuple) and type(value) is tuple:
        return Tuple(tuple(constant(v) for v in value))
    if isinstance(value, list):
        return ListValue([constant(v) for v in value])
    if isinstance(value, dict):
        return DictValue({k: constant(v) for k, v in value.items()})
    if isinstance(value, np.ndarray):
        key = ("array", value.dtype.str, value.shape, value.tobytes())
        return Known(value, key if value.dtype != object and value.size <= 4096 else None)
    return Known(value)


def lasting(value: Any) -> Value:
    """Return a constant that outlives the call, and so must not be changed in it."""
    found = constant(value)
    if isinstance(found, ListValue | DictValue):
        found.frozen = True
    if isinstance(found, Known) and isinstance(found.value, np.ndarray):
        view = found.value.view()
        view.flags.writeable = False
        return replace(found, value=view)
    return found


def public_number(
    expr: Bound,
    *,
    integer: bool | None = None,
    low: Bound = -INFINITE,
    high: Bound = INFINITE,
) -> Number:
    """Return a number that both runs hold, given as an expression."""
    whole = bool(expr.is_integer) if integer is None else integer
    # What nobody knows bounds itself.
    low = expr if low == -INFINITE else low
    high = expr if high is INFINITE else high
    return Number(low, high, ZERO, ZERO, whole, expr=expr, term=("public", expr))


def unknown_public(name: str = "public", **options: Any) -> Number:
    """Return a number that both runs hold and nobody knows, such as a released answer."""
    whole = bool(options.get("integer"))
    least = options.get("low")
    signed = True if least is not None and at_most(ZERO, least) else None
    symbol = sympy.Symbol(
        f"{name}_{fresh()}", real=True, integer=True if whole else None, nonnegative=signed
    )
    return public_number(symbol, **options)


def public_array(shape: tuple[Bound, ...], **options: Any) -> Array:
    """Return an array that both runs hold and nobody knows, such as released answers."""
    return Array(shape, norms=NO_CHANGE, rises=False, falls=False, **options)


def is_public(value: Any) -> bool:
    """Whether both runs hold the same; False for foreign values."""
    match value:
        case Number() | Array():
            return value.public
        case Tuple(items) | ListValue(items):
            return all(is_public(item) for item in items)
        case DictValue(items):
            return all(is_public(item) for item in items.values())
        case Table():
            return all(is_public(column) for column in value.columns.values())
        case Known() | ClosureValue() | FunctionValue():
            return True
    return False


def entry_norms(low: Bound, high: Bound, size: Bound | None) -> tuple[Norms, Norms]:
    """Return the bounds on vectors with entries in [low, high], and on their differences."""
    from dpaudit.formal.bounds import magnitude

    most = magnitude(low, high)
    span = width(low, high)
    return Norms(linf=most).tightened(size), Norms(linf=span).tightened(size)


def derived(array: Array) -> Array:
    """Return the array with every bound that follows from the others."""
    size = array.rest_size
    if array.rows is None:
        norms = Norms(
            array.norms.l0, array.norms.l1, array.norms.l2,
            tighter(array.norms.linf, width(array.low, array.high)) if _finite(array) else INFINITE,
        ).tightened(array.size) if array.aligned else Norms()  # fmt: skip
        return replace(array, norms=norms)
    row, span = entry_norms(array.low, array.high, size)
    if array.rest:
        row = array.row.within(row).tightened(size)
        span = array.span.within(span).within(row.plus(row)).tightened(size)
    if array.rest and at_most(ZERO, array.low):
        # ‖a − b‖² = ‖a‖² + ‖b‖² − 2 a·b <= 2 max ‖·‖² where a·b >= 0
        root = times(sympy.sqrt(2), row.l2)
        span = replace(span, l2=smaller(span.l2, root))
    rows, norms = array.rows, Norms()
    if rows.relation == "same":
        norms = NO_CHANGE
    elif rows.relation == "replaced" and _finite(array):
        k = rows.count
        norms = Norms(
            times(k, span.l0), times(k, span.l1), times(square_root(k), span.l2), span.linf
        )
    return replace(array, row=row, span=span, norms=norms)


def _finite(array: Array) -> bool:
    return not array.nan and not array.infinite


def _product(axes: tuple[Axis, ...]) -> Bound | None:
    total: Bound = sympy.Integer(1)
    for axis in axes:
        if isinstance(axis, Rows | Unaligned):
            return None
        total = total * axis
    return total


def truth_number(value: bool) -> Number:
    """Return True or False as the number that it counts for."""
    whole = sympy.Integer(int(value))
    return Number(
        whole, whole, ZERO, ZERO, True, True, expr=whole, value=value, term=("public", whole)
    )


def sources(value: Any) -> set[Rows] | None:
    """Return the rows that a private value is a function of; None where nobody knows."""
    if is_public(value):
        return set()
    match value:
        case Number() | Array():
            known = value.source if not isinstance(value, Array) or value.rows is None else (
                value.rows
            )  # fmt: skip
            return None if known is None else {known}
        case Tuple(items=items) | ListValue(items=items):
            found: set[Rows] = set()
            for item in items:
                each = sources(item)
                if each is None:
                    return None
                found |= each
            return found
    return None


def source_of(*values: Any) -> Rows | None:
    """Return the rows that all of the values together are a function of, if it is one set."""
    found: set[Rows] = set()
    for value in values:
        each = sources(value)
        if each is None:
            return None
        found |= each
    return next(iter(found)) if len(found) == 1 else None


def as_array(value: Any, place: Any = None) -> Array:
    """Return a number or a NumPy array as an `Array`.

    Raises
    ------
    Unsupported
        For anything else.
    """
    from dpaudit.formal.unsupported import Unsupported

    if isinstance(value, Array):
        return value
    if isinstance(value, Known) and isinstance(value.value, bool):
        value = truth_number(value.value)
    if isinstance(value, Number):
        l0 = ZERO if value.public else sympy.Integer(1)
        d = value.distance
        return Array(
            (), value.low, value.high, value.integer, value.boolean, value.nan, value.infinite,
            Norms(l0, d, d, d), value.rise != 0, value.fall != 0,
            dtype="bool" if value.boolean else "int64" if value.integer else "float64",
            term=value.term, source=value.source, why=value.why,
        )  # fmt: skip
    if isinstance(value, Known) and isinstance(value.value, np.ndarray):
        return _known_array(value)
    if isinstance(value, Known) and isinstance(value.value, str):
        return public_array((), kind="object", values=(value.value,), dtype="object")
    raise Unsupported(f"{type(value).__name__.lower()} where an array is expected", place)


def _known_array(value: Known) -> Array:
    array = value.value
    shape = tuple(sympy.Integer(length) for length in array.shape)
    if array.dtype.kind not in "biuf":
        listed = tuple(dict.fromkeys(array.ravel().tolist())) if array.size <= 1000 else None
        return public_array(
            shape, kind="object", values=listed, dtype=str(array.dtype), term=value.term
        )
    nan = bool(np.isnan(array).any())
    kept = array[~np.isnan(array)] if nan else array
    low, high = (exact(kept.min()), exact(kept.max())) if kept.size else (ZERO, ZERO)
    return public_array(
        shape, low=low, high=high, integer=array.dtype.kind in "biu",
        boolean=array.dtype.kind == "b", nan=nan,
        infinite=bool(np.isinf(array).any()), dtype=str(array.dtype), term=value.term,
    )  # fmt: skip
