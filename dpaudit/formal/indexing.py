"""Entries, columns, slices and masks, to be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import sympy

from dpaudit.formal.arrays import as_array, as_number, derived, known_length
from dpaudit.formal.bounds import ONE, ZERO, at_most
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import (
    Array,
    Both,
    DictValue,
    Foreign,
    Known,
    ListValue,
    Number,
    Rows,
    Table,
    Tuple,
    Unaligned,
    Value,
    fresh,
)
from dpaudit.formal.joins import join
from dpaudit.formal.norms import NO_CHANGE, Norms
from dpaudit.formal.picking import chosen, looked_up, masked
from dpaudit.formal.program import Place
from dpaudit.formal.relations import unchanged
from dpaudit.formal.running import NotConcreteError, concrete
from dpaudit.formal.states import check_own
from dpaudit.formal.unsupported import PrivateUse, Unsupported
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk

_T = TypeVar("_T")


def item(walk: Walk, value: Value, index: Any, place: Place) -> Value:
    """Return ``value[index]``."""
    if holds_foreign(value) or holds_foreign(index):
        found = walk.hooks.subscript(value, index, place, walk)
        if found is not None:
            return found
    try:
        known = concrete_index(index)
    except NotConcreteError:
        known = _UNKNOWN
    match value:
        case Tuple(items=items) | ListValue(items=items) if known is not _UNKNOWN:
            found = outcome_of(lambda: items[known], place)
            if isinstance(found, list):
                return ListValue(found)
            return Tuple(found) if isinstance(found, tuple) else found
        case ListValue(items=items):
            return _any_of(walk, items, index, place)
        case DictValue(items=items) if known is not _UNKNOWN:
            return outcome_of(lambda: items[known], place)
        case Known(value=object_) if known is not _UNKNOWN:
            return constant(outcome_of(lambda: object_[known], place))
        case Both() if known is not _UNKNOWN:
            left = outcome_of(lambda: value.left[known], place)
            right = outcome_of(lambda: value.right[known], place)
            return Both(left, right, ("item", value.term, repr(known)))
        case Table():
            return _of_table(walk, value, known, index, place)
        case Array() | Known():
            return part_of(walk, as_array(value, place), known, index, place)
    raise Unsupported(f"an entry of {in_words(value)}", place)


_UNKNOWN = object()


def holds_foreign(value: Any) -> bool:
    """Whether a value or an index holds one that another engine added."""
    if isinstance(value, tuple):
        return any(map(holds_foreign, value))
    if isinstance(value, slice):
        return any(map(holds_foreign, (value.start, value.stop, value.step)))
    return isinstance(value, Foreign)


def concrete_index(index: Any) -> Any:
    """Return an index as Python objects.

    Raises
    ------
    NotConcreteError
        Where part of it is not known.
    """
    if index is None:
        return None
    if isinstance(index, slice):
        return slice(*map(concrete_index, (index.start, index.stop, index.step)))
    if isinstance(index, tuple):
        return tuple(map(concrete_index, index))
    return concrete(index)


def outcome_of(thunk: Callable[[], _T], place: Place) -> _T:
    """Return what Python returns; refuse what raises."""
    try:
        return thunk()
    except Exception as error:
        raise Unsupported(f"an entry that raises {type(error).__name__}", place) from None


def _any_of(walk: Walk, items: list[Value], index: Any, place: Place) -> Value:
    if not isinstance(index, Number) or not index.integer or not items:
        raise Unsupported("an entry of a list at an index that is not known", place)
    inside = at_most(ZERO, index.low) and at_most(index.high, sympy.Integer(len(items) - 1))
    if not inside:
        walk.hazard("an index that may lie outside of the list", place)
    value = items[0]
    for other in items if len(items) > 1 else ():
        check_own(walk.frames, other, place)
    for other in items[1:]:
        value = join(value, other, index, place, walk.hooks)
    return value


def _of_table(walk: Walk, table: Table, known: Any, index: Any, place: Place) -> Value:
    if isinstance(known, str):
        if known not in table.columns:
            raise Unsupported(f"the column {known!r}, which the records lack", place)
        column: Value = table.columns[known]
        return column
    if isinstance(known, list) and all(name in table.columns for name in known):
        return replace(table, columns={name: table.columns[name] for name in known}, term=None)
    if isinstance(index, Array) and index.boolean and table.rows is not None:
        kept = {n: masked(walk, c, index, place) for n, c in table.columns.items()}
        first = next(iter(kept.values()))
        return replace(table, columns=kept, rows=first.rows, term=None)
    raise Unsupported("rows of a table by position", place)


def part_of(walk: Walk, array: Array, known: Any, index: Any, place: Place) -> Value:
    """Return ``array[index]``, where `known` is the index as Python objects if it is known."""
    parts = known if isinstance(known, tuple) else (known,)
    plain = known is not _UNKNOWN and all(
        part is None or part is Ellipsis or isinstance(part, slice)
        or (isinstance(part, int | np.integer) and not isinstance(part, bool))
        for part in parts
    )  # fmt: skip
    if plain:
        walk.boxed = walk.boxed or Ellipsis in parts
        if array.container == "list" and isinstance(known, tuple):
            raise Unsupported("a tuple as the index of a list", place)
        return _basic(array, parts, place)
    if isinstance(index, Array) and index.boolean:
        return masked(walk, array, index, place)
    if isinstance(known, list | np.ndarray):
        return chosen(array, np.asarray(known), place)
    if isinstance(index, Number | Array):
        return looked_up(walk, array, index, place)
    raise Unsupported("an index of this kind", place)


def _basic(array: Array, parts: tuple[Any, ...], place: Place) -> Value:
    """Return ``array[1, :, None, 2:3]``."""
    axes = sum(part is not None and part is not Ellipsis for part in parts)
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        filled = (slice(None),) * (len(array.shape) - axes)
        parts = (*parts[:at], *filled, *parts[at + 1 :])
    parts = (*parts, *(slice(None),) * (len(array.shape) - axes))
    shape: list[Any] = []
    remaining, lost = list(array.shape), None
    for part in parts:
        if part is None:
            shape.append(ONE)
            continue
        if not remaining:
            raise Unsupported("too many indices", place)
        axis = remaining.pop(0)
        if part == slice(None):
            shape.append(axis)
            continue
        if isinstance(axis, Rows | Unaligned):
            lost = axis
            if isinstance(axis, Unaligned) or not axis.public:
                turned = isinstance(part, slice) and part == slice(None, None, -1)
                if turned and isinstance(axis, Rows) and len(array.shape) == 1:
                    shape.append(Rows(
                        fresh(), axis.relation, axis.count, axis.certain, axis.least,
                        axis.most, axis, ("reversed",),
                    ))  # fmt: skip
                    continue
                raise PrivateUse(
                    "index", "records by position, which one that is added or removed shifts",
                    place, array,
                )  # fmt: skip
            axis = axis.least
        length = known_length(axis, place)
        if isinstance(part, slice):
            shape.append(sympy.Integer(len(range(*part.indices(length)))))
        elif not -length <= part < length:
            raise Unsupported(f"the index {part} of {length} entries", place)
    norms = NO_CHANGE if unchanged(array.term, parts) else array.norms
    return _part(array, norms, tuple(shape), lost, ("item", array.term, repr(parts)))


def _part(array: Array, norms: Norms, shape: tuple[Any, ...], lost: Any, term: Any) -> Value:
    if lost is not None:
        # Rows by position: each is one of those that may differ.
        norms = _change_of(array)
    result = replace(
        array, shape=shape, norms=norms, term=None if array.term is None else term,
        source=array.source or array.rows,
    )  # fmt: skip
    result = derived(result)
    return result if shape else as_number(result)


def _change_of(array: Array) -> Norms:
    """Return the bounds on the change of an array of rows of public number."""
    return derived(array).norms
