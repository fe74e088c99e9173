"""Attributes of values: shapes, types, columns by name."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.calls import apply
from dpaudit.formal.constants import constant, public_number
from dpaudit.formal.domain import (
    Array,
    Both,
    Foreign,
    Known,
    Number,
    Rows,
    Table,
    Tuple,
    Unaligned,
    Value,
)
from dpaudit.formal.lifting.known import is_inert
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


def attribute(walk: Walk, value: Value, name: str, place: Place) -> Value:
    """Return ``value.name``."""
    if isinstance(value, Foreign):
        found = walk.hooks.attribute(value, name, place, walk)
        if found is not None:
            return found
    match value:
        case Known(value=object_) if not is_inert(object_):
            what = f"the attribute `{name}` of an object whose code is not read"
            raise Unsupported(what, place)
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
        case Table(columns=columns) if name in columns and not _own_attribute(value, name):
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


def _own_attribute(table: Table, name: str) -> bool:
    """Whether a frame has an attribute of this name, which hides the column of that name."""
    if table.container == "record":
        return False
    module = sys.modules.get(table.container)
    kind = np.ndarray if module is None else module.DataFrame
    return hasattr(kind, name)


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
