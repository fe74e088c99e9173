"""Matrices of which each row, or each column, is a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost import words
from dpaudit.checker.cost.arrays import Arr, Cells, cell
from dpaudit.checker.cost.columns import joined
from dpaudit.checker.cost.compare import found
from dpaudit.checker.cost.constants import DTYPES, Named
from dpaudit.checker.cost.ends import ZERO, is_finite, plus, product
from dpaudit.checker.cost.record_columns import Rows, Table, View, by_lane, records_of
from dpaudit.checker.cost.records import Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Unknown, kind_of, unknown


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """The fields of all records one after the other."""

    table: Table


def combinations(run: Run, rows: Rows, weights: Arr) -> Rows:
    """Return for each record the sum of its entries times numbers that both runs share."""
    if weights.cells.shape != rows.rest or "bool" in (rows.dtype, weights.dtype):
        raise run.refused("a product of these shapes")
    if "str" in (rows.dtype, weights.dtype) or "float" not in (rows.dtype, weights.dtype):
        raise run.refused("a product of texts, or of integers")
    from dpaudit.checker.cost.noise import shown

    factors = []
    for weight in weights.cells if run.lane else [shown(run, each) for each in weights.cells]:
        if kind_of(weight) is None or not (factor := unknown(weight)).shared or not factor.regular:
            raise run.refused("records times what is private, noisy or not understood")
        factors.append(factor)

    def lane(which: int) -> Cells:
        low = high = ZERO
        for entry, factor in zip(rows.lanes[which], factors, strict=True):
            entry = found(run, entry)
            x = entry.snapshot() if isinstance(entry, Var) else unknown(entry)
            if not x.regular or not (is_finite(x.low) and is_finite(x.high)):
                raise run.refused("a product of a record's value that has no bounds")
            ends = product((x.low, x.high), (factor.low, factor.high))
            low, high = plus(low, ends[0]), plus(high, ends[1])
        return cell(Unknown("float", low, high))

    return Rows(rows.view, by_lane(run, rows.view, lane), "float")


def seen_as(run: Run, value: Any, kind: Any) -> Any:
    """Return the memory of a column, or of records of floats, as numbers of another type."""
    return flat(run, value, kind) if isinstance(value, Table) else words.view(run, value, kind)


def flat(run: Run, value: Table, kind: Any) -> Flat:
    """Return the fields of records, all of them floats, one after the other."""
    name = kind.name if isinstance(kind, Named) else kind
    if name not in ("builtins.float", "numpy.float64", "float64", "float") or name not in DTYPES:
        raise run.refused("records seen as this type")
    if not value.view.whole:
        raise run.refused("some of the records seen as floats")
    if any(column.dtype != "float" for column in value.columns.values()):
        raise run.refused("records that are not floats alone, seen as floats")
    return Flat(value)


def in_rows(run: Run, value: Flat, shape: Any) -> Rows:
    """Return the fields of all records, one row a record."""
    if len(shape) != 2:
        raise run.refused("records in another shape than rows")
    view, parts = value.table.view, list(value.table.columns.values())
    length, width = shape
    if type(width) is not int or width != len(parts) or not is_length(length, view):
        raise run.refused("records in rows of another length")
    return joined(run, view, parts, last=False)


def is_length(value: Any, view: View) -> bool:
    """Whether a number is how many records there are, or stands for as many as fit."""
    if type(value) is int:
        return value in (-1, view.size)
    return records_of(value) is view
