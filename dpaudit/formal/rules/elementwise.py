"""What all rules for arrays entry by entry share: shapes, and whose function an entry is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import as_array, as_number, derived
from dpaudit.formal.bounds import INFINITE, ONE, ZERO, Bound, at_most, below, square_root, times
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Known, ListValue, Number, Rows, Tuple, Unaligned, Value
from dpaudit.formal.norms import NO_CHANGE, Norms


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of every entry of a result."""

    low: Bound = -INFINITE
    high: Bound = INFINITE
    integer: bool = False
    boolean: bool = False
    nan: bool = False
    infinite: bool = False
    why: str = ""
    dtype: str = ""
    row: Norms = field(default_factory=Norms)
    span: Norms = field(default_factory=Norms)


def has_arrays(call: Application) -> bool:
    """Whether an argument is an array (or may become one)."""
    return any(
        isinstance(v, Array) or (isinstance(v, Known) and isinstance(v.value, np.ndarray))
        for v in [*call.args, *call.keywords.values()]
    ) or (
        call.name.startswith("numpy.")
        and any(isinstance(v, ListValue | Tuple) for v in call.args)
    )  # fmt: skip


def operand(call: Application, value: Value) -> Array:
    """Return an argument as an array.

    Raises
    ------
    Unsupported
        Where it cannot be one.
    """
    if isinstance(value, ListValue | Tuple):
        value = call.redo("numpy.array", value)
    if isinstance(value, Array) and value.container == "list" and not value.element:
        if not call.name.startswith("numpy."):
            call.refuse(f"{call.name} of a list")
        return replace(value, container="array", dtype=value.dtype or "float64")
    return as_array(value, call.place)


def broadcast(call: Application, operands: list[Array]) -> tuple[Any, ...]:
    """Return the shape of what is computed entry by entry."""
    depth = max(len(array.shape) for array in operands)
    shape: list[Any] = []
    for position in range(depth):
        axes = [
            array.shape[len(array.shape) - depth + position]
            for array in operands
            if len(array.shape) - depth + position >= 0
        ]
        axis: Any = ONE
        for other in axes:
            axis = _one_axis(call, axis, other)
        shape.append(axis)
    if sum(isinstance(axis, Rows) for axis in shape) > 1:
        call.refuse("every record against every other")
    return tuple(shape)


def _one_axis(call: Application, one: Any, other: Any) -> Any:
    if not isinstance(one, Rows | Unaligned) and one == 1:
        return other
    if not isinstance(other, Rows | Unaligned) and other == 1:
        return one
    if isinstance(one, Rows) and isinstance(other, Rows):
        if one.id == other.id:
            return one
        if one.public and other.public and one.least == other.least:
            return one.least
    for a, b in ((one, other), (other, one)):
        fixed = isinstance(a, Rows) and a.public and a.least == a.most
        if fixed and not isinstance(b, Rows | Unaligned) and a.least == b:
            return a
        if isinstance(a, Unaligned) and isinstance(b, Rows | Unaligned):
            mine, its = a.length.term, _length_term(b)
            if mine is not None and mine == its:
                return a
    private = isinstance(one, Rows | Unaligned) or isinstance(other, Rows | Unaligned)
    if not private and one == other:
        return one
    call.refuse("arrays of different lengths")


def _length_term(axis: Any) -> Any:
    return axis.length().term if isinstance(axis, Rows) else axis.length.term


def combined(
    call: Application, operands: list[Array], entry: Entry, change: Norms | None = None,
    *, rises: bool = True, falls: bool = True,
) -> Value:  # fmt: skip
    """Return the array whose entries are one function of those of the operands.

    Parameters
    ----------
    call : Application
    operands : list of Array
    entry : Entry
        What every entry is.
    change : Norms, optional
        Bounds on v' − v, where no axis has records or where their number is public.
    rises, falls : bool
        Whether entries may, where `change` is given.
    """
    shape = broadcast(call, operands)
    private = [array for array in operands if not array.public]
    rows = next((axis for axis in shape if isinstance(axis, Rows)), None)
    rowwise = rows is not None and all(
        array.rows is not None and array.rows.id == rows.id for array in private
    )
    element = any(array.element for array in operands)
    container = next((a.container for a in operands if a.container != "array" and a.shape), "array")
    result = Array(
        shape, entry.low, entry.high, entry.integer, entry.boolean, entry.nan, entry.infinite,
        dtype=entry.dtype or result_type(operands), container=container, element=element,
        why=entry.why,
    )  # fmt: skip
    if rowwise:
        return derived(replace(result, row=entry.row, span=entry.span, source=rows))
    if rows is not None:
        if element:
            call.refuse("a record's value together with one of other records")
        axes = tuple(_without_records(axis) for axis in shape)
        result = replace(result, shape=axes)
    if not private:
        result = replace(result, norms=NO_CHANGE, rises=False, falls=False)
    elif result.aligned and change is not None and not entry.nan and not entry.infinite:
        result = replace(result, norms=change, rises=rises, falls=falls)
    else:
        result = replace(result, norms=_possible(operands, result))
    return as_number(derived(result))


def _possible(operands: list[Array], result: Array) -> Norms:
    """Return that an entry of the result moves only where one of an operand does."""
    l0: Bound = ZERO
    for array in operands:
        whole = spread(array, result).l0
        l0 = l0 + whole
    return Norms(l0=l0)


def _without_records(axis: Any) -> Any:
    if not isinstance(axis, Rows):
        return axis
    return axis.least if axis.public and axis.least == axis.most else Unaligned(axis.length())


def spread(array: Array, result: Array) -> Norms:
    """Return the bounds of an operand's change once it is broadcast to the result's shape."""
    norms = derived(array).norms if array.rows is not None else array.norms
    size, whole = array.size, result.size
    if whole is None or size is None or size == whole:
        return norms if size is not None else replace(norms, l0=INFINITE)
    copies = whole / size if size != 0 else ZERO
    return Norms(
        times(norms.l0, copies), times(norms.l1, copies),
        times(norms.l2, square_root(copies)), norms.linf,
    )  # fmt: skip


def template(call: Application, operands: list[Array]) -> Array:
    """Return an array of the result's shape, records by their public number."""
    return Array(tuple(_without_records(axis) for axis in broadcast(call, operands)))


def result_type(operands: list[Array]) -> str:
    """Return NumPy's type of what is computed from arrays of these types."""
    kinds = [array.dtype for array in operands if array.shape and array.dtype]
    scalars = [array.dtype for array in operands if not array.shape]
    if not kinds:
        kinds, scalars = scalars, []
    if any(kind.startswith(("object", "<U", "str", "bytes")) for kind in kinds):
        return "object"
    try:
        found = np.result_type(*(np.dtype(kind) for kind in kinds)) if kinds else np.dtype(float)
    except TypeError:
        return "float64"
    # Python's numbers are weak: only their kind counts.
    order = "biuf"
    for scalar in scalars:
        kind = np.dtype(scalar).kind if scalar else "f"
        if kind == "f" and found.kind != "f":
            found = np.dtype(np.float64)
        elif kind == "i" and found.kind == "b":
            found = np.dtype(np.int64)
    assert found.kind in order
    return str(found)


def fitted(call: Application, operands: list[Array], entry: Entry) -> tuple[Entry, bool]:
    """Return an entry as its type of integers holds it, and whether it may have wrapped round."""
    dtype = entry.dtype or result_type(operands)
    if dtype == "object" or np.dtype(dtype).kind not in "iu" or not entry.integer:
        return replace(entry, dtype=dtype), False
    limits = np.iinfo(dtype)
    least, most = sympy.Integer(int(limits.min)), sympy.Integer(int(limits.max))
    inside = at_most(least, entry.low) and at_most(entry.high, most)
    if inside or (dtype == "int64" and _idealized(entry, least, most)):
        return replace(entry, dtype=dtype), False
    why = f"{dtype} holds no number beyond {most}, at {call.place}"
    return Entry(least, most, True, why=entry.why or why, dtype=dtype), True


def _idealized(entry: Entry, least: Bound, most: Bound) -> bool:
    """Whether 64 bits overflow only for more records than there are, or for nothing known."""
    return not (below(most, entry.high) and entry.high is not INFINITE) and not (
        below(entry.low, least) and entry.low != -INFINITE
    )


def number_of(array: Array) -> Number:
    """Return a scalar's bounds as those of a number."""
    return Number(array.low, array.high)
