"""Encodes single values: numbers, text, dates, and whatever has no parts."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs.sheet import Group, Rows, Sheet, Visit, subset
from dpaudit.outputs.text import describe, integer_text, shortened, unplaced

EXACT = 2**53  # beyond it float64 no longer holds every integer
_PLAIN_NAMES = {float: "float", np.float64: "float", int: "int", np.int64: "int", bool: "bool",
                np.bool_: "bool", str: "str", np.str_: "str", type(None): "None"}  # fmt: skip


def type_name(kind: type) -> str:
    """Return the name of a type; NumPy's default types go by the names of Python's."""
    return _PLAIN_NAMES.get(kind) or str(kind.__name__)


def floats(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write real numbers; NaN and infinities become types."""
    array = np.fromiter(group.values, np.float64, len(group.values))
    write_floats(sheet, group.path, group.rows, array, type_name(group.kind))


def write_floats(
    sheet: Sheet, path: str, rows: Rows, array: NDArray[np.float64], name: str | None
) -> None:
    """Write a number column and, where there is a name for it or need of it, the types."""
    finite = np.isfinite(array)
    if finite.all():
        sheet.number(path, rows, array)
        if name is not None:
            sheet.constant(path + ":type", rows, name)
        return
    sheet.number(path, rows, np.where(finite, array, np.nan))
    if name is not None:
        sheet.constant(path + ":type", subset(rows, np.flatnonzero(finite)), name)
    for text, where in (
        ("nan", np.isnan(array)),
        ("inf", np.isposinf(array)),
        ("-inf", np.isneginf(array)),
    ):
        if where.any():
            sheet.constant(path + ":type", subset(rows, np.flatnonzero(where)), text)


def integers(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write whole numbers and booleans, with a label where float64 cannot hold them."""
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    write_integers(sheet, group.path, group.rows, group.values)


def write_integers(sheet: Sheet, path: str, rows: Rows, values: Any) -> None:
    """Write a number column, and labels for integers beyond 2**53."""
    try:
        array = np.fromiter(values, np.int64, len(values))
        large = (array > EXACT) | (array < -EXACT)
        sheet.number(path, rows, array.astype(np.float64))
    except OverflowError:
        whole = [int(value) for value in values]
        large = np.array([abs(value) > EXACT for value in whole])
        sheet.number(path, rows, np.array([_nearest(value) for value in whole]))
    if large.any():
        chosen = np.flatnonzero(large)
        texts = [integer_text(int(values[i])) for i in chosen]
        sheet.label(path, subset(rows, chosen), texts)


def _nearest(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("nan")


def complexes(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write complex numbers by parts."""
    array = np.fromiter(group.values, np.complex128, len(group.values))
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    write_floats(sheet, group.path + ".real", group.rows, np.ascontiguousarray(array.real), None)
    write_floats(sheet, group.path + ".imag", group.rows, np.ascontiguousarray(array.imag), None)


def strings(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write text as labels, without the addresses of objects."""
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    sheet.label(group.path, group.rows, [shortened(unplaced(str(text))) for text in group.values])


def nothing(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write None: its type says it all."""
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))


def exact_numbers(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write a Decimal or Fraction as its nearest float, and its text."""
    numbers = np.array([_float_of(value) for value in group.values])
    write_floats(sheet, group.path, group.rows, numbers, type_name(group.kind))
    sheet.label(group.path, group.rows, [shortened(str(value)) for value in group.values])


def _float_of(value: Any) -> float:
    try:
        return float(value)
    except (OverflowError, ValueError):  # beyond the range, or a signalling NaN
        return float("nan")


def dates(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write dates, times and spans as a number that orders them, and their text."""
    opaque(sheet, group, visit)
    name, order = (".total_seconds()", _seconds)
    if issubclass(group.kind, datetime.datetime):
        name = ".timestamp()"
    elif issubclass(group.kind, datetime.date):
        name = ".toordinal()"
    elif issubclass(group.kind, datetime.time):
        return
    write_floats(
        sheet,
        group.path + name,
        group.rows,
        np.array([order(value) for value in group.values]),
        None,
    )


def _seconds(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:  # the machine's own time zone must not matter
            value = value.replace(tzinfo=datetime.UTC)
        return float(value.timestamp())
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return float(value.toordinal())


def opaque(sheet: Sheet, group: Group, _: Visit) -> None:
    """Write anything else as its type, and its ``repr`` without addresses."""
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    sheet.label(group.path, group.rows, [describe(value) for value in group.values])
