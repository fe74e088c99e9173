"""Arrays put together, cut and turned; arrays of one public number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.arrays import as_array, derived
from dpaudit.formal.bounds import INFINITE, ONE, ZERO, Bound, larger, smaller, square_root, times
from dpaudit.formal.calls import Application
from dpaudit.formal.dependence import is_public, source_of, sources
from dpaudit.formal.domain import Array, ListValue, Number, Rows, Tuple, Unaligned, Value, fresh
from dpaudit.formal.norms import NO_CHANGE, Norms
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.elementwise import result_type
from dpaudit.formal.terms import is_value


@rule(
    "numpy.array", "numpy.asarray", "numpy.stack", "numpy.column_stack", "numpy.vstack",
    statement="Arrays side by side: l0 and l1 add, l2 adds in squares, linf is the largest; "
    "values that depend on disjoint parts of the records do not all change.",
    proof="By definition of the norms; a record is in one part (McSherry 2009).",
)  # fmt: skip
def stacked(call: Application) -> Value | None:
    """np.array([a, b]), np.column_stack([x, y])."""
    if len(call.args) != 1 or not isinstance(call.args[0], ListValue | Tuple):
        return None
    options = {k: v for k, v in call.keywords.items() if k not in ("dtype", "copy", "axis")}
    if options:
        return None
    items = call.args[0].items
    if not items:
        return None
    axis = call.known(call.keywords.get("axis"), 0)
    parts = [_part(call, item) for item in items]
    if call.name == "numpy.column_stack":
        axis = 1
        if any(len(part.shape) != 1 for part in parts):
            return _columns(parts)
    if call.name == "numpy.vstack" and any(len(part.shape) != 1 for part in parts):
        return None
    result = _stack(call, parts, axis)
    if "dtype" in call.keywords:
        return call.redo("method.astype", result, call.keywords["dtype"])
    return result


def _columns(parts: list[Array]) -> Value | None:
    """Return columns side by side, some of which are several."""
    rows = next((part.rows for part in parts if part.rows is not None), None)
    if rows is None:
        return None
    parts = [_by_record(part, rows) for part in parts]
    if any(p.rows is None or p.rows.id != rows.id or p.row_axis != 0 for p in parts):
        return None
    if any(len(part.shape) > 2 for part in parts):
        return None
    count = sum((part.rest_size for part in parts if part.rest_size is not None), ZERO)
    result = Array(
        (rows, count), smaller(*(p.low for p in parts)), larger(*(p.high for p in parts)),
        all(p.integer for p in parts), all(p.boolean for p in parts), any(p.nan for p in parts),
        any(p.infinite for p in parts), dtype=result_type(parts), source=rows,
        why=next((p.why for p in parts if p.why), ""),
        row=side_by_side([p.row for p in parts]), span=side_by_side([p.span for p in parts]),
    )  # fmt: skip
    return derived(result)


def _part(call: Application, item: Value) -> Array:
    if isinstance(item, ListValue | Tuple):
        item = call.redo("numpy.array", item)
    part = as_array(item, call.place)
    if part.kind == "object" and call.name != "numpy.array":
        call.refuse("texts put together")
    return replace(part, container="array", dtype=part.dtype or "float64")


def _stack(call: Application, parts: list[Array], axis: int) -> Array:
    shapes = [part.shape for part in parts]
    rows = next((part.rows for part in parts if part.rows is not None), None)
    if rows is None and any(shape != shapes[0] for shape in shapes):
        call.refuse("arrays of different shapes put together")
    shape = next((part.shape for part in parts if part.rows is not None), shapes[0])
    parts = [_by_record(part, rows) for part in parts]
    for part in parts:
        same = len(part.shape) == len(shape) and all(
            a == b or (isinstance(a, Rows) and isinstance(b, Rows) and a.id == b.id)
            for a, b in zip(part.shape, shape, strict=True)
        )
        if not same or (rows is not None and part.rows is None):
            call.refuse("arrays of different lengths put together")
    low, high = smaller(*(p.low for p in parts)), larger(*(p.high for p in parts))
    count = sympy.Integer(len(parts))
    result = Array(
        (*shape[:axis], count, *shape[axis:]), low, high,
        all(p.integer for p in parts), all(p.boolean for p in parts),
        any(p.nan for p in parts), any(p.infinite for p in parts), dtype=result_type(parts),
        why=next((p.why for p in parts if p.why), ""), term=_stack_term(parts, axis),
    )  # fmt: skip
    if parts[0].kind == "object":
        return replace(result, kind="object", norms=NO_CHANGE if all(map(is_public, parts)) else (
            Norms()
        ))  # fmt: skip
    if rows is not None:
        row = side_by_side([p.row for p in parts])
        return derived(replace(result, row=row, span=side_by_side([p.span for p in parts]),
                               source=rows))  # fmt: skip
    norms = side_by_side([p.norms for p in parts])
    most = parts_that_change(parts)
    if most is not None and shape == ():
        linf = larger(*(p.norms.linf for p in parts))
        norms = norms.within(Norms(most, linf=linf)).tightened()
    return derived(replace(
        result, norms=norms, rises=any(p.rises for p in parts), falls=any(p.falls for p in parts),
        source=source_of(*parts),
    ))  # fmt: skip


def _by_record(part: Array, rows: Rows | None) -> Array:
    """Return public entries, as many as there are records, as one a record."""
    fits = rows is not None and rows.public and rows.least == rows.most and part.public
    if not fits or part.rows is not None or part.shape != (rows.least,):  # type: ignore[union-attr]
        return part
    return derived(replace(part, shape=(rows,)))


def _stack_term(parts: list[Array], axis: int) -> Any:
    terms = [part.term for part in parts]
    return None if None in terms else ("stack", axis, *terms)


def side_by_side(each: list[Norms]) -> Norms:
    """Return the bounds of several vectors put together."""
    return Norms(
        sum((n.l0 for n in each), ZERO),
        sum((n.l1 for n in each), ZERO),
        square_root(sum((n.l2**2 for n in each), ZERO)),
        larger(*(n.linf for n in each)) if each else ZERO,
    )


def parts_that_change(parts: list[Any]) -> Bound | None:
    """Return how many of several values can change at once; None where nobody knows.

    Each must be a function of one cell of the same partition of the records, all cells different.
    """
    cells: set[Any] = set()
    found: list[Rows] = []
    for part in parts:
        if is_public(part):
            continue
        rows = sources(part)
        if rows is None or len(rows) != 1:
            return None
        (each,) = rows
        if each.parent is None or not isinstance(each.cell, tuple):
            return None
        if each.cell[0] not in ("cell", "places") or each.cell in cells:
            return None
        cells.add(each.cell)
        found.append(each)
    if not found:
        return ZERO
    if found[0].cell[0] == "places":  # type: ignore[index]
        return _at_places(found)
    values = [rows.cell[2] for rows in found if rows.cell[0] == "cell"]  # type: ignore[index]
    kinds = {value[0] if is_value(value) else None for value in values}
    if len(values) < len(found) or None in kinds or len(kinds) > 1:
        return None
    same = {(rows.parent.id if rows.parent else 0, rows.cell[1]) for rows in found}  # type: ignore[index]
    if len(same) != 1:
        return None
    # An inserted record is in one part; a replaced one may leave one and enter another.
    factor = 1 if found[0].relation == "inserted" else 2
    return smaller(sympy.Integer(len(found)), found[0].count * factor)


def _at_places(parts: list[Rows]) -> Bound | None:
    """Return how many of the parts change that hold the records at disjoint public places.

    Of n records k are replaced, each by one at its own place: they are in k parts at most.
    """
    taken: set[int] = set()
    for rows in parts:
        parent, cell = rows.parent, rows.cell
        if parent is None or parent.relation != "replaced" or parent is not parts[0].parent:
            return None
        if not isinstance(cell, tuple) or cell[0] != "places" or not taken.isdisjoint(cell[1]):
            return None
        taken.update(cell[1])
    return smaller(sympy.Integer(len(parts)), parts[0].count)


@rule(
    "numpy.concatenate", "numpy.hstack", "numpy.append",
    statement="Arrays one after the other: l0 and l1 add, l2 adds in squares.",
    proof="By definition of the norms.",
)  # fmt: skip
def concatenated(call: Application) -> Value | None:
    """np.concatenate([a, b])."""
    items = call.args[0] if len(call.args) == 1 else Tuple(tuple(call.args))
    if call.keywords or not isinstance(items, ListValue | Tuple):
        return None
    if call.name != "numpy.append" and len(call.args) != 1:
        return None
    parts = [_part(call, item) for item in items.items]
    parts = [replace(p, shape=(ONE,)) if not p.shape else p for p in parts]
    if any(len(part.shape) != 1 for part in parts):
        return None
    low, high = smaller(*(p.low for p in parts)), larger(*(p.high for p in parts))
    lengths = [_length(part) for part in parts]
    total: Value = lengths[0]
    for length in lengths[1:]:
        total = call.redo("operator.add", total, length)
    assert isinstance(total, Number)
    public = total.public and total.expr is not None
    axis: Any = total.expr if public else Unaligned(total)
    aligned = [derived(p) for p in parts]
    result = Array(
        (axis,), low, high, all(p.integer for p in parts), all(p.boolean for p in parts),
        any(p.nan for p in parts), any(p.infinite for p in parts), dtype=result_type(parts),
        norms=side_by_side([p.norms for p in aligned]) if public else Norms(),
        rises=any(p.rises for p in parts), falls=any(p.falls for p in parts),
        why=next((p.why for p in parts if p.why), ""), source=source_of(*parts),
    )  # fmt: skip
    return derived(result)


def _length(array: Array) -> Number:
    from dpaudit.formal.attributes import axis_length

    return axis_length(array.shape[0])


@rule(
    "numpy.zeros", "numpy.ones", "numpy.full", "numpy.zeros_like",
    "numpy.ones_like", "numpy.full_like",
    statement="An array of one number; with a row a record where its length is theirs.",
    proof="By definition.",
)  # fmt: skip
def filled(call: Application) -> Value | None:
    """np.zeros(n), np.ones(len(data)), np.full(k, c)."""
    word = call.name.rpartition(".")[2].removesuffix("_like")
    names = ("shape", "fill_value") if word == "full" else ("shape", "dtype")
    if "like" in call.name:
        return None
    shape, value = call.bind(*names, required=len(names) - (word != "full"))
    lengths = shape.items if isinstance(shape, Tuple) else (shape,)
    number: Bound
    if word == "full":
        if not isinstance(value, Number):
            return None
        low, high = value.low, value.high
    else:
        number = {"zeros": ZERO, "ones": ONE}.get(word, ZERO)
        low = high = number
    axes: list[Any] = []
    for length in lengths:
        if not isinstance(length, Number):
            return None
        rows = length.source
        if rows is not None and length.term == ("len", ("rows", rows.id)) and not length.public:
            axes.append(rows)
        elif length.public and length.expr is not None:
            axes.append(length.expr)
        else:
            axes.append(Unaligned(length))
    if word == "full":
        assert isinstance(value, Number)
        kind: Any = "bool" if value.boolean else "int64" if value.integer else "float64"
        if not value.public or value.nan:
            return _copies(call, value, axes, kind)
    else:
        kind = call.known(value, float)
    whole = np.dtype(kind).kind in "biu"
    result = Array(
        tuple(axes), low, high, whole, kind == "bool", norms=NO_CHANGE, rises=False, falls=False,
        dtype=str(np.dtype(kind)), term=None,
    )  # fmt: skip
    rows = result.rows
    if rows is not None:
        result = replace(result, term=("filled", rows.id, low), source=rows)
    return derived(result)


def _copies(call: Application, value: Number, axes: list[Any], kind: str) -> Value:
    """Return an array of public shape that holds one private number throughout."""
    if any(isinstance(axis, Rows | Unaligned) for axis in axes):
        call.refuse("a private number for every record")
    size: Bound = sympy.Mul(*axes)
    d = value.distance
    return derived(Array(
        tuple(axes), value.low, value.high, value.integer, value.boolean, value.nan,
        value.infinite, Norms(size, times(d, size), times(d, sympy.sqrt(size)), d),
        value.rise != 0, value.fall != 0, dtype=kind, source=value.source, why=value.why,
    ))  # fmt: skip


@rule(
    "numpy.arange",
    statement="0, 1, …, n − 1: of records, their places, which one that comes or goes shifts.",
    proof="By definition.",
)
def places(call: Application) -> Value | None:
    """np.arange(n)."""
    if call.keywords or len(call.args) != 1 or not isinstance(call.args[0], Number):
        return None
    length = call.args[0]
    assert isinstance(length, Number)
    if length.public:
        return None
    return Array((Unaligned(length),), ZERO, length.high - 1, True, dtype="int64")


@rule(
    "method.reshape", "numpy.reshape", "method.transpose", "numpy.transpose",
    statement="The same entries in another shape keep all norms.",
    proof="By definition.",
)  # fmt: skip
def reshaped(call: Application) -> Value | None:
    """x.reshape(a, b), x.transpose()."""
    x = call.args[0]
    if call.keywords or not isinstance(x, Array):
        return None
    if call.name.endswith("transpose"):
        if len(call.args) > 1:
            return None
        return derived(replace(x, shape=x.shape[::-1], term=None))
    wanted = call.args[1:]
    if len(wanted) == 1 and isinstance(wanted[0], Tuple):
        wanted = list(wanted[0].items)
    lengths = [int(call.known(v)) for v in wanted]
    if x.rows is not None:
        if len(x.shape) == 1 and lengths in ([-1, 1], [1, -1]):
            shape = (x.shape[0], ONE) if lengths == [-1, 1] else (ONE, x.shape[0])
            return derived(replace(x, shape=shape, term=None))
        return x if lengths == [-1] and len(x.shape) == 1 else None
    size = x.size
    if not isinstance(size, sympy.Integer):
        return None
    known = [n for n in lengths if n != -1]
    product = int(np.prod(known)) if known else 1
    if lengths.count(-1) == 1 and product:
        lengths = [int(size) // product if n == -1 else n for n in lengths]
    if int(np.prod(lengths)) != int(size):
        call.refuse(f"{size} entries in the shape {lengths}")
    return derived(replace(x, shape=tuple(map(sympy.Integer, lengths)), term=None))


@rule(
    "numpy.diff",
    statement="Differences of neighbors: each entry is in two of them.",
    proof="Triangle inequality.",
)
def differences(call: Application) -> Value | None:
    """np.diff(x)."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], Array):
        return None
    x = derived(call.args[0])
    if len(x.shape) != 1:
        return None
    length = _length(x)
    norms = x.norms.plus(x.norms) if x.aligned else Norms()
    axis: Any = length.expr - 1 if length.public and length.expr is not None else Unaligned(
        replace(length, low=length.low - 1, high=length.high - 1, term=None)
    )  # fmt: skip
    spread = x.high - x.low if INFINITE not in (x.high, -x.low) else INFINITE
    return derived(Array(
        (axis,), -spread, spread, x.integer, nan=x.nan or x.infinite, infinite=x.infinite,
        norms=norms, dtype=x.dtype,
    ))  # fmt: skip


@rule(
    "numpy.triu",
    "numpy.tril",
    statement="Entries that become zero do not move.",
    proof="By definition.",
)
def triangle(call: Application) -> Value | None:
    """np.triu(x)."""
    x = call.args[0]
    if not isinstance(x, Array) or x.rows is not None or len(x.shape) != 2 or call.keywords:
        return None
    return derived(
        replace(x, low=smaller(x.low, ZERO), high=larger(x.high, ZERO), buffer=fresh(), term=None)
    )
