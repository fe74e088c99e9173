"""Arrays of numbers: what follows from what is known of one, and how others become one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from dpaudit.formal.bounds import (
    INFINITE,
    ZERO,
    Bound,
    at_most,
    exact,
    smaller,
    square_root,
    tighter,
    times,
    width,
)
from dpaudit.formal.constants import public_array, truth_number
from dpaudit.formal.domain import Array, Known, Number, Value, fresh
from dpaudit.formal.narrow import scalar_type
from dpaudit.formal.norms import NO_CHANGE, Norms, entry_norms
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words


def derived(array: Array) -> Array:
    """Return the array with every bound that follows from the others."""
    if array.rows is None and array.public:
        return array
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
    elif rows.relation == "replaced":
        k = rows.count
        norms = Norms(times(k, span.l0))  # entries that differ, whatever they hold
        if _finite(array):
            norms = Norms(norms.l0, times(k, span.l1), times(square_root(k), span.l2), span.linf)
    return replace(array, row=row, span=span, norms=norms)


def _finite(array: Array) -> bool:
    return not array.nan and not array.infinite


def as_array(value: Any, place: Any = None) -> Array:
    """Return a number or a NumPy array as an `Array`.

    Raises
    ------
    Unsupported
        For anything else.
    """
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
            dtype=value.dtype
            or ("bool" if value.boolean else "int64" if value.integer else "float64"),
            term=value.term, source=value.source, why=value.why,
        )  # fmt: skip
    if isinstance(value, Known) and isinstance(value.value, np.ndarray):
        return _known_array(value)
    if isinstance(value, Known) and isinstance(value.value, str):
        return public_array((), kind="object", values=(value.value,), dtype="object")
    raise Unsupported(f"{in_words(value)} where an array is expected", place)


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


def as_number(array: Array) -> Value:
    """Return an array without axes as a number."""
    if array.shape or array.kind == "object" or array.element:
        return array
    change = array.norms.linf
    return Number(
        array.low, array.high, change if array.falls else ZERO, change if array.rises else ZERO,
        array.integer, array.boolean, array.nan, array.infinite, term=array.term,
        source=array.source, why=array.why,
        expr=_symbol(array) if array.norms.linf == 0 else None, dtype=scalar_type(array.dtype),
    )  # fmt: skip


def _symbol(array: Array) -> Bound:
    if array.low == array.high:
        return array.low
    return sympy.Symbol(f"entry_{fresh()}", real=True, integer=True if array.integer else None)


def known_length(axis: Bound, place: Place) -> int:
    """Return the length of an axis; refuse one that is not known."""
    if not isinstance(axis, sympy.Integer):
        raise Unsupported(f"a part of an axis of length {axis}", place)
    return int(axis)
