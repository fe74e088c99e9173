"""The outcome of a test: known, chosen for the path, or private."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpaudit.formal.bounds import ONE, ZERO, at_most, below
from dpaudit.formal.domain import (
    Array,
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
)
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


def truth(walk: Walk, value: Value, place: Place) -> bool | None:
    """Return the outcome of a test, None where it differs between the runs."""
    match value:
        case Foreign():
            return walk.hooks.truth(value, place, walk)
        case Known(value=object_):
            return _of_known(object_, place)
        case Number():
            return _of_number(walk, value, place)
        case Tuple(items=items) | ListValue(items=items):
            return len(items) > 0
        case DictValue(items=items):
            return len(items) > 0
        case Array() | Table():
            return _of_number(walk, length_tested(value, place), place)
    return True


def length_tested(value: Array | Table, place: Place) -> Number:
    """Return the length of a list that is tested.

    Raises
    ------
    Unsupported
        For arrays, whose truth is that of their entry if there is one.
    """
    from dpaudit.formal.constants import public_number

    if value.container != "list" or value.element:
        raise Unsupported("the truth of an array", place)
    axis = value.rows if isinstance(value, Table) else value.shape[0]
    if isinstance(axis, Rows):
        return axis.length()
    if isinstance(axis, Unaligned):
        return axis.length
    return public_number(axis)


def _of_known(value: object, place: Place) -> bool:
    if isinstance(value, np.ndarray) and value.size != 1:
        raise Unsupported("the truth of an array", place)
    return bool(value)


def _of_number(walk: Walk, number: Number, place: Place) -> bool | None:
    if number.constant:
        return bool(number.value)
    if number.nan:
        return None
    if below(ZERO, number.low) or below(number.high, ZERO):
        return True
    if number.integer and (at_most(ONE, number.low) or at_most(number.high, -ONE)):
        return True
    if number.low == 0 and number.high == 0:
        return False
    return walk.decide(number, place) if number.public else None
