"""Entries that are set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from dpaudit.formal.arrays import as_array, derived
from dpaudit.formal.bounds import at_most, larger, smaller
from dpaudit.formal.calls import apply
from dpaudit.formal.constants import constant
from dpaudit.formal.dependence import source_of
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Known,
    ListValue,
    Number,
    Table,
    Value,
    fresh,
)
from dpaudit.formal.indexing import concrete_index, holds_foreign, outcome_of, part_of
from dpaudit.formal.program import Place
from dpaudit.formal.running import NotConcreteError, concrete
from dpaudit.formal.terms import term_of
from dpaudit.formal.unsupported import PrivateUse, Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


def stored(walk: Walk, container: Value, index: Any, value: Value, place: Place) -> Value | None:
    """Return what a container is after ``container[index] = value``; None where it changed itself.

    Raises
    ------
    Unsupported
        Where which entry changes is not public.
    """
    foreign = holds_foreign(container) or holds_foreign(index) or holds_foreign(value)
    if foreign and not isinstance(container, ListValue | DictValue):
        new = walk.hooks.store(container, index, value, place)
        if new is not None:
            return new
        raise Unsupported("noise stored in an array", place)
    try:
        known = concrete_index(index)
    except NotConcreteError:
        return _stored_by_mask(walk, container, index, value, place)
    if isinstance(container, ListValue | DictValue) and container.frozen:
        raise Unsupported("a change of a list or dict that outlives the call", place)
    match container:
        case Table() if isinstance(known, str):
            return _stored_column(container, known, value, place)
        case ListValue():
            if isinstance(known, slice):
                from dpaudit.formal.loops import items_of

                container.items[known] = items_of(walk, value, place)
            else:
                outcome_of(lambda: container.items.__setitem__(known, value), place)
            return None
        case DictValue():
            outcome_of(lambda: container.items.__setitem__(known, value), place)
            return None
        case Known(value=np.ndarray() as array):
            if not array.flags.writeable:
                raise Unsupported("a change of an array that outlives the call", place)
            try:
                changed = array.copy()
                changed[known] = concrete(value)
                return constant(changed)
            except NotConcreteError:
                pass
    return _stored_in_array(walk, as_array(container, place), known, value, place)


def _stored_column(table: Table, name: str, value: Value, place: Place) -> Table:
    """Return a frame with a column set: the entries of the same records, in their order."""
    if table.container != "pandas" or table.element or not isinstance(value, Array):
        raise Unsupported("a column set to what is no column of the same records", place)
    rows, mine = value.rows, table.rows
    alike = rows is not None and mine is not None and rows.id == mine.id
    if not alike or value.element or len(value.shape) != 1 or value.container == "list":
        raise Unsupported("a column set to values of other records", place)
    new = replace(value, container="pandas", buffer=fresh())
    return replace(table, columns={**table.columns, name: new}, term=None)


def _stored_in_array(walk: Walk, array: Array, known: Any, value: Value, place: Place) -> Array:
    if array.rows is not None or not array.aligned or array.container != "array":
        raise Unsupported("entries of records set by position", place)
    new = as_array(value, place)
    if new.rows is not None or not new.aligned or new.kind != array.kind:
        raise Unsupported("records stored by position", place)
    from dpaudit.formal.rules.elementwise import spread

    part = part_of(walk, replace(array, term=None), known, known, place)
    size = as_array(part, place).size
    if size is None or new.size is None:
        raise Unsupported("entries whose number is private set at once", place)
    norms = spread(new, as_array(part, place))  # what is stored may fill several entries
    _check_type(array, new, place)
    return derived(replace(
        array, low=smaller(array.low, new.low), high=larger(array.high, new.high),
        integer=array.integer and new.integer, boolean=array.boolean and new.boolean,
        nan=array.nan or new.nan, infinite=array.infinite or new.infinite,
        norms=array.norms.plus(norms), rises=array.rises or new.rises,
        falls=array.falls or new.falls, term=None, source=source_of(array, new),
        why=array.why or new.why, values=None,
    ))  # fmt: skip


def _check_type(array: Array, new: Array, place: Place) -> None:
    """Refuse to store numbers in an array of a type that does not hold them."""
    kind = np.dtype(array.dtype or float).kind
    if kind == "f":
        return
    held = new.boolean if kind == "b" else new.integer and not new.dtype.startswith("float")
    if held and kind in "iu" and array.dtype != "int64":
        limits = np.iinfo(array.dtype)
        least, most = sympy.Integer(int(limits.min)), sympy.Integer(int(limits.max))
        held = bool(at_most(least, new.low) and at_most(new.high, most))
    if not held:
        what = f"numbers stored in an array of the type {array.dtype}, which may not hold them"
        raise Unsupported(what, place)


def _stored_by_mask(walk: Walk, container: Value, index: Any, value: Value, place: Place) -> Value:
    masked = isinstance(index, Array) and index.boolean
    one = isinstance(value, Number) or (isinstance(value, Known) and type(value.value) is bool)
    if masked and isinstance(container, Array) and one and len(index.shape) == len(container.shape):
        _check_type(container, as_array(value, place), place)
        return apply(walk, "numpy.where", [index, value, container], {}, place)
    raise PrivateUse("index", "an entry set at a private index", place, term_of(value))
