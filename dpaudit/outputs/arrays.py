"""Encodes NumPy arrays, NumPy scalars without a twin in Python, and data frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.outputs.containers import described, digest
from dpaudit.outputs.scalars import EXACT, type_name, write_floats, write_integers
from dpaudit.outputs.sheet import Group, Rows, Sheet, Visit, subset
from dpaudit.outputs.text import describe, shortened

_SHAPE, _DTYPE = attrgetter("shape"), attrgetter("dtype")


def arrays(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write arrays, grouped by element type and shape."""
    values = group.values
    if len(set(map(_SHAPE, values))) == 1 == len(set(map(id, map(_DTYPE, values)))):
        _alike(sheet, group, visit)
        return
    kinds: dict[tuple[np.dtype[Any], tuple[int, ...]], list[int]] = {}
    for i, value in enumerate(values):
        kinds.setdefault((value.dtype, value.shape), []).append(i)
    for chosen in kinds.values():
        rows = subset(group.rows, chosen)
        part = dataclasses.replace(group, rows=rows, values=[values[i] for i in chosen])
        _alike(sheet, part, visit)


def as_arrays(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write what NumPy can read (tensors, columns of other libraries) as arrays."""
    made = [np.asarray(value) for value in group.values]
    if any(array.dtype.hasobject for array in made):  # perhaps the object itself
        described(sheet, group, visit)
        return
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    visit(group.path + ".__array__()", group.rows, made, group.budget)


def _alike(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write arrays of one shape and element type."""
    first = group.values[0]
    shape, entries = first.shape, first.size
    sheet.constant(group.path + ":type", group.rows, array_name(group.kind, first.dtype))
    sheet.constant(group.path + ".shape", group.rows, str(tuple(map(int, shape))))
    kept = min(entries, group.budget)
    flat = group.values
    if len(shape) != 1 or kept < entries or group.kind is not np.ndarray:
        flat = [np.asarray(value).reshape(-1)[:kept] for value in group.values]
    if kept:
        matrix = np.concatenate(flat).reshape(len(flat), kept)
        write_matrix(sheet, visit, group.path, group.rows, matrix, shape)
    if entries > kept:
        rests = [digest([np.asarray(value).reshape(-1)[kept:]]) for value in group.values]
        sheet.label(group.path + ".truncated", group.rows, rests)


def array_name(kind: type, dtype: np.dtype[Any]) -> str:
    """Return the type of an array and its entries, as in ``"float array"``."""
    name = "array" if kind is np.ndarray else type_name(kind)
    element = type_name(dtype.type) if dtype.names is None else str(dtype)
    return f"{element} {name}"


def write_matrix(
    sheet: Sheet,
    visit: Visit,
    path: str,
    rows: Rows,
    matrix: NDArray[Any],
    shape: Sequence[int],
) -> None:
    """Write one column for each entry of arrays of this shape.

    Parameters
    ----------
    matrix : ndarray, shape (outputs, entries)
        The leading entries in C order, one output a row.
    """
    for j, column in enumerate(np.ascontiguousarray(matrix.T)):
        place = np.unravel_index(j, tuple(shape)) if shape else ()
        index = f"[{', '.join(str(int(i)) for i in place)}]" if place else ""
        write_column(sheet, visit, path + index, rows, column)


def write_column(sheet: Sheet, visit: Visit, path: str, rows: Rows, column: NDArray[Any]) -> None:
    """Write values of one element type, without a type of their own."""
    kind = column.dtype.kind
    if kind == "f":
        write_floats(sheet, path, rows, column.astype(np.float64, copy=False), None)
    elif kind in "iub":
        if kind == "b" or column.dtype.itemsize < 8 or not _large(column).any():
            sheet.number(path, rows, column.astype(np.float64))
        else:
            write_integers(sheet, path, rows, column.tolist())
    elif kind == "c":
        wide = column.astype(np.complex128, copy=False)
        write_floats(sheet, path + ".real", rows, np.ascontiguousarray(wide.real), None)
        write_floats(sheet, path + ".imag", rows, np.ascontiguousarray(wide.imag), None)
    elif kind in "mM":
        counts = np.where(np.isnat(column), np.nan, column.view(np.int64).astype(np.float64))
        write_floats(sheet, path, rows, counts, None)
        sheet.label(path, rows, [shortened(str(value)) for value in column])
    elif column.dtype.names is not None:
        for name in column.dtype.names:
            write_column(sheet, visit, f"{path}[{name!r}]", rows, column[name])
    elif kind in "SU":
        sheet.label(path, rows, [shortened(str(value)) for value in column.tolist()])
    else:
        visit(path, rows, list(column), 0)


def _large(column: NDArray[Any]) -> NDArray[np.bool_]:
    if column.dtype.kind == "u":
        return column > EXACT
    return (column > EXACT) | (column < -EXACT)


def numpy_scalars(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write NumPy scalars that are no numbers: dates, records, bytes."""
    sheet.constant(group.path + ":type", group.rows, type_name(group.kind))
    alike: dict[np.dtype[Any], list[int]] = {}
    for i, value in enumerate(group.values):
        alike.setdefault(value.dtype, []).append(i)
    for dtype, chosen in alike.items():
        column = np.array([group.values[i] for i in chosen], dtype=dtype)
        write_column(sheet, visit, group.path, subset(group.rows, chosen), column)


def frames(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write frames of pandas and polars: columns and their types, index, and values."""
    for i, frame in enumerate(group.values):
        rows = subset(group.rows, [i])
        columns = [(str(name), frame[name]) for name in frame.columns]
        sheet.constant(group.path + ":type", rows, type_name(group.kind))
        sheet.number(group.path + ".length", rows, np.array([len(frame)], np.float64))
        keys = ", ".join(f"{name!r}: {values.dtype}" for name, values in columns)
        sheet.constant(group.path + ".keys", rows, shortened(keys))
        _index(sheet, group.path, rows, frame)
        share = group.budget // max(2, len(columns))
        for name, values in columns[: group.budget]:
            place = dataclasses.replace(
                group, path=f"{group.path}[{name!r}]", rows=rows, budget=share
            )
            _series(sheet, place, visit, values)
        if len(columns) > group.budget:
            rest = digest(
                value for _, values in columns[group.budget :] for value in values.to_list()
            )
            sheet.constant(group.path + ".truncated", rows, rest)


def series(sheet: Sheet, group: Group, visit: Visit) -> None:
    """Write series of pandas and polars."""
    for i, values in enumerate(group.values):
        rows = subset(group.rows, [i])
        sheet.constant(group.path + ":type", rows, type_name(group.kind))
        sheet.number(group.path + ".length", rows, np.array([len(values)], np.float64))
        sheet.constant(group.path + ".keys", rows, describe(values.name) + f": {values.dtype}")
        _index(sheet, group.path, rows, values)
        _series(sheet, dataclasses.replace(group, rows=rows), visit, values)


def _series(sheet: Sheet, group: Group, visit: Visit, values: Any) -> None:
    pandas = hasattr(values, "iloc")
    kept = min(len(values), group.budget)
    for j, value in enumerate(values.head(kept).to_list()):
        place = f"{group.path}.iloc[{j}]" if pandas else f"{group.path}[{j}]"
        visit(place, group.rows, [value], 0)
    if len(values) > kept:
        rest = digest(values.tail(len(values) - kept).to_list())
        sheet.constant(group.path + ".truncated", group.rows, rest)


def _index(sheet: Sheet, path: str, rows: Rows, frame: Any) -> None:
    index = getattr(frame, "index", None)
    if index is None:  # polars has none
        return
    plain = (getattr(index, part, None) for part in ("start", "stop", "step"))
    if tuple(plain) != (0, len(index), 1):
        sheet.constant(path + ".index", rows, shortened(str(list(index))))
