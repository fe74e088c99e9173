"""Entries, columns, slices and masks, to be read and to be set; attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import sympy

from dpaudit.formal.bounds import ONE, ZERO, Bound, at_most, larger, smaller
from dpaudit.formal.calls import NotConcreteError, apply, concrete, term_of
from dpaudit.formal.domain import (
    Array,
    Both,
    DictValue,
    Foreign,
    Known,
    ListValue,
    Norms,
    Number,
    Rows,
    Table,
    Tuple,
    Unaligned,
    Value,
    as_array,
    constant,
    derived,
    fresh,
    public_number,
    source_of,
)
from dpaudit.formal.joins import check_own, join
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk

_T = TypeVar("_T")


def item(walk: Walk, value: Value, index: Any, place: Place) -> Value:
    """Return ``value[index]``."""
    if _foreign(value) or _foreign(index):
        found = walk.hooks.subscript(value, index, place, walk)
        if found is not None:
            return found
    try:
        known = concrete_index(index)
    except NotConcreteError:
        known = _UNKNOWN
    match value:
        case Tuple(items=items) | ListValue(items=items) if known is not _UNKNOWN:
            found = _python(lambda: items[known], place)
            if isinstance(found, list):
                return ListValue(found)
            return Tuple(found) if isinstance(found, tuple) else found
        case ListValue(items=items):
            return _any_of(walk, items, index, place)
        case DictValue(items=items) if known is not _UNKNOWN:
            return _python(lambda: items[known], place)
        case Known(value=object_) if known is not _UNKNOWN:
            return constant(_python(lambda: object_[known], place))
        case Both() if known is not _UNKNOWN:
            left = _python(lambda: value.left[known], place)
            right = _python(lambda: value.right[known], place)
            return Both(left, right, ("item", value.term, repr(known)))
        case Table():
            return _of_table(walk, value, known, index, place)
        case Array() | Known():
            return _of_array(walk, as_array(value, place), known, index, place)
    raise Unsupported(f"an entry of a {type(value).__name__.lower()}", place)


_UNKNOWN = object()


def _foreign(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_foreign, value))
    if isinstance(value, slice):
        return any(map(_foreign, (value.start, value.stop, value.step)))
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


def _python(thunk: Callable[[], _T], place: Place) -> _T:
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
        masked = {n: _masked(walk, c, index, place) for n, c in table.columns.items()}
        first = next(iter(masked.values()))
        return replace(table, columns=masked, rows=first.rows, term=None)
    raise Unsupported("rows of a table by position", place)


def _of_array(walk: Walk, array: Array, known: Any, index: Any, place: Place) -> Value:
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
        return _masked(walk, array, index, place)
    if isinstance(known, list | np.ndarray):
        return _chosen(array, np.asarray(known), place)
    if isinstance(index, Number | Array):
        return _looked_up(walk, array, index, place)
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
                from dpaudit.formal.walk import PrivateUse

                raise PrivateUse(
                    "index", "records by position, which one that is added or removed shifts",
                    place, array,
                )  # fmt: skip
            axis = axis.least
        length = _int(axis, place)
        if isinstance(part, slice):
            shape.append(sympy.Integer(len(range(*part.indices(length)))))
        elif not -length <= part < length:
            raise Unsupported(f"the index {part} of {length} entries", place)
    return _part(array, tuple(shape), lost, ("item", array.term, repr(parts)))


def _part(array: Array, shape: tuple[Any, ...], lost: Any, term: Any) -> Value:
    norms = array.norms
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


def as_number(array: Array) -> Value:
    """Return an array without axes as a number."""
    if array.shape or array.kind == "object" or array.element:
        return array
    change = array.norms.linf
    return Number(
        array.low, array.high, change if array.falls else ZERO, change if array.rises else ZERO,
        array.integer, array.boolean, array.nan, array.infinite, term=array.term,
        source=array.source, why=array.why,
        expr=_symbol(array) if array.norms.linf == 0 else None,
    )  # fmt: skip


def _symbol(array: Array) -> Bound:
    if array.low == array.high:
        return array.low
    return sympy.Symbol(f"entry_{fresh()}", real=True, integer=True if array.integer else None)


def _int(axis: Bound, place: Place) -> int:
    if not isinstance(axis, sympy.Integer):
        raise Unsupported(f"a part of an axis of length {axis}", place)
    return int(axis)


def _masked(walk: Walk, array: Array, mask: Array, place: Place) -> Array:
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
    from dpaudit.formal.walk import PrivateUse

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


def _chosen(array: Array, index: np.ndarray, place: Place) -> Array:
    """Return ``array[[3, 1]]`` for public positions."""
    axis = array.shape[0] if array.shape else None
    if isinstance(axis, Rows) and axis.public:
        axis = axis.least
    if axis is None or isinstance(axis, Rows | Unaligned):
        from dpaudit.formal.walk import PrivateUse

        raise PrivateUse(
            "index", "records by position, which one that is added or removed shifts", place, array
        )
    length = _int(axis, place)
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
    return derived(replace(
        array, shape=shape, norms=norms, buffer=fresh(), term=known,
        source=array.source or array.rows,
    ))  # fmt: skip


def _looked_up(walk: Walk, array: Array, index: Number | Array, place: Place) -> Value:
    """Return entries at an index that is not known."""
    chosen = as_array(index, place)
    if not chosen.integer or chosen.nan:
        raise Unsupported("an index that may be no whole number", place)
    if len(array.shape) != 1 or isinstance(array.shape[0], Rows | Unaligned):
        raise Unsupported("an entry at an index that is not known", place)
    length = array.shape[0]
    if not (at_most(-length, chosen.low) and at_most(chosen.high, length - 1)):
        walk.hazard("an index that may lie outside of the array", place)
    if chosen.public:
        # The same entry in both runs.
        found = replace(
            array, shape=(), buffer=fresh(), term=None, norms=replace(array.norms, l0=ONE)
        )
        if isinstance(index, Number):
            terms = (array.term, index.term)
            found = replace(found, term=None if None in terms else ("at", *terms))
            return as_number(derived(found))
        raise Unsupported("several entries at public indices that are not known", place)
    if not array.public:
        raise Unsupported("an entry of private values at a private index", place)
    result = derived(replace(
        chosen, low=array.low, high=array.high, integer=array.integer, boolean=array.boolean,
        nan=array.nan, infinite=array.infinite, kind=array.kind, values=array.values,
        dtype=array.dtype, norms=replace(Norms(), l0=chosen.norms.l0), rises=True,
        falls=True, row=Norms(), span=Norms(), buffer=fresh(),
        term=None if None in (array.term, chosen.term) else ("at", array.term, chosen.term),
    ))  # fmt: skip
    return as_number(result) if isinstance(index, Number) else result


# --- attributes


def attribute(walk: Walk, value: Value, name: str, place: Place) -> Value:
    """Return ``value.name``."""
    if isinstance(value, Foreign):
        found = walk.hooks.attribute(value, name, place, walk)
        if found is not None:
            return found
    match value:
        case Known(value=object_) if not callable(getattr(object_, name, len)):
            return constant(getattr(object_, name))
        case Number() if value.constant and name in ("real", "numerator", "denominator"):
            return constant(getattr(value.value, name))
        case Both():
            left, right = (getattr(side, name) for side in (value.left, value.right))
            same = type(left) is type(right) and not isinstance(left, np.ndarray) and left == right
            return constant(left) if same else Both(left, right, ("attribute", value.term, name))
        case Array() | Known() if isinstance(value, Array):
            return _of_array_attribute(walk, value, name, place)
        case Table(columns=columns) if name in columns:
            column: Value = columns[name]
            return column
        case Table() if name == "columns":
            return constant(tuple(value.columns))
        case Table() if name == "dtype" and value.container == "array":
            kinds = [(column, float) for column in value.columns]
            return Known(np.dtype(kinds))  # its names alone are right
        case Table() if name in ("shape", "size") and value.rows is not None:
            length = value.rows.length()
            many = constant(len(value.columns))
            plain = value.container == "array"
            if name == "size":
                return length if plain else apply(walk, "operator.mul", [length, many], {}, place)
            return Tuple((length,)) if plain else Tuple((length, many))
    raise Unsupported(f"the attribute `{name}`", place)


def _of_array_attribute(walk: Walk, array: Array, name: str, place: Place) -> Value:
    if array.container == "list" or array.element:
        raise Unsupported(f"the attribute `{name}` of a list", place)
    lengths = [axis_length(axis) for axis in array.shape]
    match name:
        case "shape":
            return Tuple(tuple(lengths))
        case "size":
            total: Value = constant(1)
            for length in lengths:
                total = apply(walk, "operator.mul", [total, length], {}, place)
            return total
        case "ndim":
            return constant(len(array.shape))
        case "T":
            return derived(replace(array, shape=array.shape[::-1], term=_under("T", array)))
        case "dtype":
            return Known(np.dtype(array.dtype or "float64"))
        case "values" | "array" if array.container in ("pandas", "polars"):
            return replace(array, container="array")
        case "real":
            return array
    raise Unsupported(f"the attribute `{name}` of an array", place)


def _under(name: str, array: Array) -> Any:
    if array.term is None:
        return None
    if isinstance(array.term, tuple) and array.term and array.term[0] == name == "T":
        return array.term[1]
    return (name, array.term)


def axis_length(axis: Any) -> Number:
    """Return the length of an axis."""
    if isinstance(axis, Rows):
        return axis.length()
    if isinstance(axis, Unaligned):
        return axis.length
    if isinstance(axis, sympy.Integer):
        number = constant(int(axis))
        assert isinstance(number, Number)
        return number
    return public_number(axis, integer=True)


# --- setting entries


def stored(walk: Walk, container: Value, index: Any, value: Value, place: Place) -> Value | None:
    """Return what a container is after ``container[index] = value``; None where it changed itself.

    Raises
    ------
    Unsupported
        Where which entry changes is not public.
    """
    foreign = _foreign(container) or _foreign(index) or _foreign(value)
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
        case ListValue():
            if isinstance(known, slice):
                from dpaudit.formal.loops import items_of

                container.items[known] = items_of(walk, value, place)
            else:
                _python(lambda: container.items.__setitem__(known, value), place)
            return None
        case DictValue():
            _python(lambda: container.items.__setitem__(known, value), place)
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


def _stored_in_array(walk: Walk, array: Array, known: Any, value: Value, place: Place) -> Array:
    if array.rows is not None or not array.aligned or array.container != "array":
        raise Unsupported("entries of records set by position", place)
    new = as_array(value, place)
    if new.rows is not None or not new.aligned or new.kind != array.kind:
        raise Unsupported("records stored by position", place)
    part = _of_array(walk, replace(array, term=None), known, known, place)
    size = as_array(part, place).size
    norms = new.norms if len(new.shape) else replace(
        new.norms, l0=smaller(size, new.norms.l0 * size) if size is not None else new.norms.l0,
        l1=new.norms.l1 * size, l2=new.norms.l2 * sympy.sqrt(size),
    )  # fmt: skip
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
    if masked and isinstance(container, Array) and isinstance(value, Number | Known):
        _check_type(container, as_array(value, place), place)
        return apply(walk, "numpy.where", [index, value, container], {}, place)
    from dpaudit.formal.walk import PrivateUse

    raise PrivateUse("index", "an entry set at a private index", place, term_of(value))
