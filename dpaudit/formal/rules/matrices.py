"""Rows of a structured array as the rows of a matrix."""

from __future__ import annotations

import numpy as np
import sympy

from dpaudit.formal.arrays import derived
from dpaudit.formal.bounds import larger, smaller
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import (
    Array,
    FunctionValue,
    Known,
    Number,
    Table,
    Tuple,
    Unaligned,
    Value,
)
from dpaudit.formal.rules import rule
from dpaudit.formal.rules.shapes import side_by_side

_FLAT = "fields one after the other"


@rule(
    "method.view",
    statement="Records whose fields are all float64 are their fields, one after the other.",
    proof="A structured array of k fields of eight bytes, without gaps, is 8k bytes a record, in "
    "the order of the fields (NumPy, on structured data types).",
)
def flat(call: Application) -> Value | None:
    """data.view(np.float64) of a structured array; its only use is to be made a matrix."""
    if not call.args or not isinstance(call.args[0], Table):
        return None
    table, kind = call.bind("a", "dtype", required=2)
    assert isinstance(table, Table)
    if table.container != "array" or table.element:
        return None
    if not _is_float(kind) or table.rows is None or table.term is None:
        return None
    columns = list(table.columns.values())
    plain = columns and all(
        isinstance(c, Array) and c.kind == "number" and c.dtype == "float64"
        and not c.boolean and c.shape == (table.rows,)
        for c in columns
    )  # fmt: skip
    if not plain:
        call.refuse("records that are not floats alone, seen as floats")
    if any(c.buffer != columns[0].buffer for c in columns):
        call.refuse("columns that are not parts of one array, seen as one")
    total = call.redo("operator.mul", table.rows.length(), _number(len(columns)))
    assert isinstance(total, Number)
    term = (_FLAT, table.term, tuple(table.columns))
    call.walk.values[term] = table
    return Array(
        (Unaligned(total),), smaller(*(c.low for c in columns)), larger(*(c.high for c in columns)),
        all(c.integer for c in columns), nan=any(c.nan for c in columns),
        infinite=any(c.infinite for c in columns), buffer=columns[0].buffer, term=term,
        why=next((c.why for c in columns if c.why), ""),
    )  # fmt: skip


@rule(
    "method.reshape",
    statement="What was seen as the fields of n records, one after the other, is n rows again.",
    proof="A reshape goes by the order of the entries.",
    first=True,
)
def by_record(call: Application) -> Value | None:
    """data.view(np.float64).reshape(len(data), k)."""
    if call.keywords or not call.args or not isinstance(call.args[0], Array):
        return None
    entries = call.args[0]
    term = entries.term
    if not isinstance(term, tuple) or term[0] != _FLAT:
        return None
    table = call.walk.values[term]
    assert isinstance(table, Table)
    assert table.rows is not None
    columns = list(table.columns.values())
    wanted = call.args[1:]
    if len(wanted) == 1 and isinstance(wanted[0], Tuple):
        wanted = list(wanted[0].items)
    if len(wanted) != 2:
        return None
    length, width = wanted
    whole = isinstance(length, Number) and (
        length.value == -1 or length.term == table.rows.length().term
    )
    if not whole or not isinstance(width, Number) or width.value != len(columns):
        return None
    return derived(Array(
        (table.rows, sympy.Integer(len(columns))), entries.low, entries.high, entries.integer,
        nan=entries.nan, infinite=entries.infinite, row=side_by_side([c.row for c in columns]),
        span=side_by_side([c.span for c in columns]), buffer=entries.buffer, source=table.rows,
        why=entries.why, term=("rows", term),
    ))  # fmt: skip


def _is_float(kind: Value | None) -> bool:
    match kind:
        case FunctionValue(function=function):
            return function in ("numpy.float64", "builtins.float", float, np.float64)
        case Known(value=value):
            return value in (float, "f8", "float64", "float")
    return False


def _number(value: int) -> Value:
    from dpaudit.formal.constants import constant

    return constant(value)
