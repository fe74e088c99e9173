"""Objects of the user's that exist before the run: a configuration, an engine without state.

Where nothing sets an attribute after the object was made, or changes what it holds, the object is
what a call that makes it anew would return, and it is lifted like one: as a dict of its attributes.
"""

from __future__ import annotations

import types
from typing import Any

from dpaudit.extras import optional
from dpaudit.formal.lifting.canonical import canonical_name, is_tabular
from dpaudit.formal.lifting.enumerations import is_member
from dpaudit.formal.lifting.environment import is_attribute_changed
from dpaudit.formal.lifting.known import is_plain
from dpaudit.formal.lifting.objects import (
    class_values,
    is_computed,
    is_named_tuple,
    is_slot,
    is_users_class,
    is_value,
    validate,
)
from dpaudit.formal.lifting.scope import Lifter, is_sink
from dpaudit.formal.lifting.shapes import Shape, in_class, value_of
from dpaudit.formal.program import Call, Constant, Expression, Mapping, Place
from dpaudit.formal.unsupported import Unsupported

_INDEXES = ("pandas.Index", "pandas.MultiIndex", "pandas.RangeIndex")


def existing(value: Any, place: Place, lifter: Lifter) -> Expression | None:
    """Return an object that exists as one that the program makes.

    Returns
    -------
    Expression or None
        None where it is no object of a class that is read, or may change.
    """
    cls = type(value)
    if canonical_name(cls) in _INDEXES:
        return _index(value, place)
    if is_tabular(value):
        return _table(value, place)
    if not is_users_class(cls) or is_named_tuple(cls) or not _is_read(cls, place):
        return None
    items: dict[str, Expression] = {}
    own = _attributes(value)
    of_class = {
        name: held
        for kind in cls.__mro__[:-1]
        for name, held in vars(kind).items()
        if is_value(held) and not name.startswith("__")
    }
    for name, held in (of_class | own).items():
        if is_attribute_changed(value, name, held) or lifter.is_set(name):
            return None
    if any(is_computed(in_class(cls, name)) for name in own):  # which hides what the class holds
        return None
    sinks = {name for name, held in own.items() if is_sink(held)}
    for name, held in own.items():
        if name in sinks:
            continue
        inner = existing(held, place, lifter)
        known = is_plain(held) or is_member(held) or isinstance(held, types.FunctionType)
        if inner is None and not known:
            return None
        items[name] = inner or Constant(place, held)
    shape = lifter.shape(cls)
    for name in sinks:
        shape.hold(name, "sink", place)
    for name, item in items.items():
        shape.hold(name, lifter.shape_of(item), place, value_of(own[name]))
    return _made(shape, items, place, lifter)


def existing_record(value: Any, place: Place, lifter: Lifter) -> Expression | None:
    """Return a named tuple of constants as an object that the program makes, else None."""
    cls = type(value)
    plain = is_users_class(cls) and is_named_tuple(cls) and not hasattr(value, "__dict__")
    if not plain or not all(map(is_plain, value)) or not _is_read(cls, place):
        return None
    items: dict[str, Expression] = {}
    shape = lifter.shape(cls)
    for name, held in zip(cls._fields, value, strict=True):
        shape.hold(name, None, place, value_of(held))
        items[name] = Constant(place, held)
    return _made(shape, items, place, lifter)


def _is_read(cls: type, place: Place) -> bool:
    try:
        validate(cls, place)
    except Unsupported:
        return False
    return True


def _made(shape: Shape, items: dict[str, Expression], place: Place, lifter: Lifter) -> Expression:
    """Return an object with these attributes, and with the values that its class has."""
    items = {**class_values(shape, items, place, lifter), **items}
    pairs = ((Constant(place, name), item) for name, item in items.items())
    return lifter.with_shape(Mapping(place, tuple(pairs)), shape)


def _index(value: Any, place: Place) -> Expression | None:
    """Return an index of pandas as the call that makes it of its labels."""
    labels = value.tolist()
    parts = [part for each in labels for part in (each if type(each) is tuple else (each,))]
    if not all(type(part) in (str, int) for part in parts):
        return None
    several = type(labels[0]) is tuple if labels else False
    made = "pandas.MultiIndex.from_tuples" if several else "pandas.Index"
    return Call(place, made, (Constant(place, labels),))


def _table(value: Any, place: Place) -> Expression | None:
    """Return a series or a frame of pandas as the call that makes it of its values."""
    pd = optional("pandas")

    whole = value.index.equals(pd.RangeIndex(len(value)))
    if isinstance(value, pd.Series):
        labels, values = value.index.tolist(), value.tolist()
        made = pd.Series(values) if whole else pd.Series(values, index=labels)
        named: tuple[Any, ...] = () if whole else (("index", Constant(place, labels)),)
        given: Expression = Constant(place, values)
        if isinstance(value.name, str):
            named = (*named, ("name", Constant(place, value.name)))
        parts = [*labels, *values]
    elif not value.columns.is_unique:
        return None
    else:
        columns = {name: value[name].tolist() for name in value.columns}
        made, named = pd.DataFrame(columns), ()
        items = ((Constant(place, n), Constant(place, each)) for n, each in columns.items())
        given = Mapping(place, tuple(items))
        parts = [*columns, *(part for each in columns.values() for part in each)]
    plain = all(type(part) in (str, int, float) for part in parts)
    if not plain or not made.equals(value) or not made.index.equals(value.index):
        return None
    return Call(place, canonical_name(type(value)) or "", (given,), named)


def _attributes(value: Any) -> dict[str, Any]:
    slots = [n for kind in type(value).__mro__ for n in getattr(kind, "__slots__", ())]
    kept = {name: getattr(value, name) for name in slots if is_slot(in_class(type(value), name))}
    return {**kept, **getattr(value, "__dict__", {})}
