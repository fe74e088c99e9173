"""Entries that a mask, a list of positions or an unknown index picks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from dpaudit.formal.arrays import as_array, derived
from dpaudit.formal.bounds import at_most
from dpaudit.formal.domain import (
    Array,
    Number,
    Rows,
    Unaligned,
    Value,
    fresh,
)
from dpaudit.formal.norms import Norms
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import PrivateUse, Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


from dpaudit.formal.arrays import as_number, known_length


def masked(walk: Walk, array: Array, mask: Array, place: Place) -> Array:
    """Return ``array[mask]``: of rows, those that the mask keeps."""
    rows = array.rows
    if rows is not None and mask.rows is not None and mask.rows.id == rows.id:
        if array.row_axis != 0 or len(mask.shape) != 1:
            raise Unsupported("a mask along another axis than that of the records", place)
        kept = subset(walk, rows, mask)
        return derived(replace(
            array, shape=(kept, *array.shape[1:]), source=kept, buffer=fresh(),
            term=None if None in (array.term, mask.term) else ("masked", array.term, mask.term),
        ))  # fmt: skip
    if mask.rows is None and mask.public and mask.aligned:
        raise Unsupported("a mask that is public and not known", place)
    raise PrivateUse("index", "a choice of entries that depends on private data", place, mask)


def subset(walk: Walk, rows: Rows, mask: Array) -> Rows:
    """Return the rows that a mask keeps; the same for the same mask."""
    cell = _cell(mask.term)
    key = ("rows", rows.id, cell)
    if cell is not None and key in walk.values:
        return walk.values[key]  # type: ignore[return-value]
    kept = rows.subset(cell)
    if cell is not None:
        walk.values[key] = kept  # type: ignore[assignment]
    return kept


def _cell(term: Any) -> Any:
    """Return (what is compared, with which constant) of a mask ``part == j``, else its term."""
    if isinstance(term, tuple) and len(term) == 3 and term[0] == "eq":
        left, right = term[1], term[2]
        if isinstance(right, tuple) and right and right[0] in ("public", "known"):
            return ("cell", left, right)
        if isinstance(left, tuple) and left and left[0] in ("public", "known"):
            return ("cell", right, left)
    return term


def chosen(array: Array, index: np.ndarray, place: Place) -> Array:
    """Return ``array[[3, 1]]`` for public positions."""
    axis = array.shape[0] if array.shape else None
    rows = axis if isinstance(axis, Rows) and axis.public else None
    if rows is not None:
        axis = rows.least
    if axis is None or isinstance(axis, Rows | Unaligned):
        raise PrivateUse(
            "index", "records by position, which one that is added or removed shifts", place, array
        )
    length = known_length(axis, place)
    if index.dtype.kind == "b":
        index = np.flatnonzero(index)
    if index.dtype.kind not in "iu" or index.ndim != 1 or not index.size:
        if index.size:
            raise Unsupported("an index of this kind", place)
        index = index.astype(np.int64)
    if any(not -length <= int(i) < length for i in index):
        raise Unsupported(f"an index outside of {length} entries", place)
    repeats = max(np.unique(index % max(1, length), return_counts=True)[1].tolist(), default=1)
    norms = derived(array).norms
    many = sympy.Integer(repeats)
    if repeats > 1:
        norms = replace(
            norms, l0=norms.l0 * many, l1=norms.l1 * many, l2=norms.l2 * sympy.sqrt(many)
        )
    shape = (sympy.Integer(len(index)), *array.shape[1:])
    known = None if array.term is None else ("chosen", array.term, tuple(index.tolist()))
    source = array.source if rows is None else _at_places(rows, index % max(1, length))
    return derived(replace(
        array, shape=shape, norms=norms, buffer=fresh(), term=known, source=source
    ))  # fmt: skip


def _at_places(rows: Rows, places: np.ndarray) -> Rows:
    """Return the records at public places: a replaced one is where the old one was."""
    at = tuple(sorted(set(places.tolist())))
    many = sympy.Integer(len(at))
    return Rows(fresh(), rows.relation, rows.count, False, many, many, rows, ("places", at))


def looked_up(walk: Walk, array: Array, index: Number | Array, place: Place) -> Value:
    """Return entries at an index that is not known."""
    at = as_array(index, place)
    if not at.integer or at.nan:
        raise Unsupported("an index that may be no whole number", place)
    if not array.shape or any(isinstance(axis, Rows | Unaligned) for axis in array.shape):
        raise Unsupported("an entry at an index that is not known", place)
    length, *rest = array.shape
    if not (at_most(-length, at.low) and at_most(at.high, length - 1)):
        walk.hazard("an index that may lie outside of the array", place)
    if at.public:
        # The same entry, or row, in both runs: what is left out does not change less.
        if not isinstance(index, Number):
            raise Unsupported("several entries at public indices that are not known", place)
        terms = (array.term, index.term)
        term = None if None in terms else ("at", *terms)
        found = derived(replace(array, shape=tuple(rest), term=term))
        return found if rest else as_number(replace(found, buffer=fresh()))
    if rest:
        raise Unsupported("a row at a private index", place)
    if not array.public:
        raise Unsupported("an entry of private values at a private index", place)
    result = derived(replace(
        at, low=array.low, high=array.high, integer=array.integer, boolean=array.boolean,
        nan=array.nan, infinite=array.infinite, kind=array.kind, values=array.values,
        dtype=array.dtype, norms=replace(Norms(), l0=at.norms.l0), rises=True,
        falls=True, row=Norms(), span=Norms(), buffer=fresh(),
        term=None if None in (array.term, at.term) else ("at", array.term, at.term),
    ))  # fmt: skip
    return as_number(result) if isinstance(index, Number) else result
