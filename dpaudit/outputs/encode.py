"""Turns the outputs of a mechanism into columns, whatever they are."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs import arrays, containers, scalars
from dpaudit.outputs.columns import Columns
from dpaudit.outputs.scalars import type_name
from dpaudit.outputs.sheet import Group, Handler, Rows, Sheet, Visit, subset
from dpaudit.outputs.text import shortened, without_addresses

MAX_COLUMNS = 256


class Raised:
    """An exception in the place of an output: its type and message, without its traceback.

    One that ended a generator has what was yielded before it (`dpaudit.ended`).
    """

    __slots__ = ("kind", "message", "yielded_before")

    def __init__(self, error: BaseException) -> None:
        self.kind = type_name(type(error))
        self.yielded_before = getattr(error, "__dict__", {}).get("yielded_before")
        try:
            notes = getattr(error, "__notes__", ())
            self.message = shortened(without_addresses("; ".join([str(error), *notes])))
        except MemoryError:
            raise
        except Exception as failure:
            self.message = f"unprintable ({type(failure).__name__})"

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def encode(outputs: Sequence[Any]) -> Columns:
    """Encode outputs, one row each.

    Parameters
    ----------
    outputs : sequence
        Anything that mechanisms return; exceptions wrapped in `Raised`.

    Returns
    -------
    Columns

    Notes
    -----
    Row i depends on output i alone: it is the same whatever else is in the batch, up to the
    order of vocabularies. At most 256 places of one output are written, and no more than eight
    levels deep; the entries of a container share them evenly. A digest stands for the rest.
    """
    sheet = Sheet(len(outputs))
    if outputs:
        _visitor(sheet)("", None, outputs, MAX_COLUMNS)
    return sheet.columns()


def encode_rows(array: NDArray[Any]) -> Columns:
    """Encode an array whose rows are the outputs, as `encode` would row by row.

    Parameters
    ----------
    array : ndarray, shape (outputs, ...)
    """
    if array.ndim > 1:
        size, shape = len(array), array.shape[1:]
        entries = int(np.prod(shape, dtype=np.int64))
        if array.dtype.kind in "fiub" and 0 < entries <= MAX_COLUMNS:
            sheet = Sheet(size)
            sheet.constant(":type", None, arrays.array_name(np.ndarray, array.dtype))
            sheet.constant(".shape", None, str(tuple(map(int, shape))))
            matrix = array.reshape(size, entries)
            arrays.write_matrix(sheet, _visitor(sheet), "", None, matrix, shape)
            return sheet.columns()
    elif array.dtype.kind in "fiub":
        sheet = Sheet(len(array))
        if array.dtype.kind == "f":
            values = array.astype(np.float64)
            scalars.write_floats(sheet, "", None, values, type_name(array.dtype.type))
        else:
            sheet.constant(":type", None, type_name(array.dtype.type))
            arrays.write_column(sheet, _visitor(sheet), "", None, array)
        return sheet.columns()
    return encode(list(array))


def _visitor(sheet: Sheet) -> Visit:
    def visit(path: str, rows: Rows, values: Sequence[Any], budget: int) -> None:
        kinds = list(map(type, values))
        first = kinds[0]
        if len(set(map(id, kinds))) == 1:
            _encode_group(sheet, Group(path, rows, values, first, budget), visit)
            return
        alike: dict[int, list[int]] = {}
        for i, kind in enumerate(kinds):
            alike.setdefault(id(kind), []).append(i)
        for chosen in alike.values():
            part = [values[i] for i in chosen]
            kind = kinds[chosen[0]]
            _encode_group(sheet, Group(path, subset(rows, chosen), part, kind, budget), visit)

    return visit


def _encode_group(sheet: Sheet, group: Group, visit: Visit) -> None:
    try:
        _handler(group.kind)(sheet, group, visit)
    except MemoryError:
        raise
    except Exception:  # an object that fails when looked at; the others must not suffer
        if len(group.values) == 1:
            scalars.opaque(sheet, group, visit)
            return
        for i, value in enumerate(group.values):
            single = dataclasses.replace(group, rows=subset(group.rows, [i]), values=[value])
            _encode_group(sheet, single, visit)


def _raised(sheet: Sheet, group: Group, visit: Visit) -> None:
    sheet.label(
        group.path + ":type", group.rows, [f"raises {error.kind}" for error in group.values]
    )
    sheet.label(group.path + ":message", group.rows, [error.message for error in group.values])
    chosen = [i for i, error in enumerate(group.values) if error.yielded_before]
    if chosen:
        before = [group.values[i].yielded_before for i in chosen]
        visit(group.path + ".yielded_before", subset(group.rows, chosen), before, group.budget // 2)


_EXACT: dict[type, Handler] = {
    float: scalars.floats,
    int: scalars.integers,
    bool: scalars.integers,
    str: scalars.strings,
    type(None): scalars.nothing,
    list: containers.lists,
    tuple: containers.lists,
    dict: containers.mappings,
    np.ndarray: arrays.arrays,
    np.timedelta64: arrays.numpy_scalars,  # NumPy counts it among the integers
    Raised: _raised,
}

_BY_BASE: tuple[tuple[type | tuple[type, ...], Handler], ...] = (
    (enum.Enum, scalars.opaque),
    ((float, np.floating), scalars.floats),
    ((int, np.integer, np.bool_), scalars.integers),
    ((complex, np.complexfloating), scalars.complexes),
    (str, scalars.strings),
    ((Decimal, Fraction), scalars.exact_numbers),
    ((datetime.date, datetime.time, datetime.timedelta), scalars.dates),
    (np.generic, arrays.numpy_scalars),
    (np.ndarray, arrays.arrays),
    ((list, tuple), containers.lists),
    ((set, frozenset), containers.sets),
    (Mapping, containers.mappings),
    (Iterator, scalars.opaque),  # looking inside would run it
    (type, scalars.opaque),
)


def _handler(kind: type) -> Handler:
    known = _EXACT.get(kind)
    if known is not None:
        return known
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return containers.records(containers.namedtuple_fields)
    frame = _frame_handler(kind)
    if frame is not None:
        return frame
    for bases, handler in _BY_BASE:
        if issubclass(kind, bases):
            return handler
    if dataclasses.is_dataclass(kind):
        return containers.records(containers.dataclass_fields)
    if hasattr(kind, "__array__"):
        return arrays.as_arrays
    return containers.described


def _frame_handler(kind: type) -> Handler | None:
    """Return the handler of pandas' and polars' types; neither is imported to ask."""
    for library in ("pandas", "polars"):
        module = sys.modules.get(library)
        if module is not None:
            if issubclass(kind, module.DataFrame):
                return arrays.frames
            if issubclass(kind, module.Series):
                return arrays.series
    return None
