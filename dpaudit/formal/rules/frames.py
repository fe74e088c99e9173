"""Frames and series of pandas: copies, missing values, a function of each value or row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.calls import Application, apply_value
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import (
    Array,
    ClosureValue,
    DictValue,
    FunctionValue,
    Known,
    Number,
    Rows,
    Table,
    Value,
    fresh,
)
from dpaudit.formal.picking import masked
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Choice,
    Constant,
    Function,
    Logic,
    Name,
    Return,
    Subscript,
    walk,
)
from dpaudit.formal.record_bodies import Body, element_of, entries_of
from dpaudit.formal.rules import rule
from dpaudit.formal.states import contents


def _series(call: Application) -> Array | None:
    """Return the series that a method is called on, None where it is none of records."""
    x = call.args[0] if call.args else None
    plain = isinstance(x, Array) and x.container == "pandas" and not x.element
    rows = plain and len(x.shape) == 1 and isinstance(x.shape[0], Rows)  # type: ignore[union-attr]
    return x if rows else None  # type: ignore[return-value]


@rule(
    "method.copy",
    statement="A copy of a frame holds the same records.",
    proof="By definition.",
)
def copied_frame(call: Application) -> Value | None:
    """df.copy()."""
    (table, *rest) = call.args
    if not isinstance(table, Table) or table.container != "pandas" or table.element or rest:
        return None
    if call.keywords.keys() - {"deep"} or call.known(call.keywords.get("deep"), True) is not True:
        return None
    columns = {name: replace(column, buffer=fresh()) for name, column in table.columns.items()}
    return replace(table, columns=columns)


@rule(
    "method.to_dict",
    statement="The rows of a frame as dicts are the same records.",
    proof="By definition.",
)
def rows_as_dicts(call: Application) -> Value | None:
    """df.to_dict("records")."""
    table, orient = call.bind("self", "orient", required=2)
    plain = isinstance(table, Table) and table.container == "pandas" and not table.element
    if not plain or call.known(orient) != "records":
        return None
    columns = {
        name: replace(column, container="list", dtype="", buffer=fresh())
        for name, column in table.columns.items()  # type: ignore[union-attr]
    }
    return replace(table, columns=columns, container="list")  # type: ignore[type-var]


@rule(
    "method.count", "method.dropna",
    statement="Of a series the values that are missing are left out.",
    proof="NaN alone differs from itself.",
)  # fmt: skip
def present_values(call: Application) -> Value | None:
    """series.count(), series.dropna()."""
    x = _series(call)
    if x is None or len(call.args) > 1 or call.keywords or x.kind == "object":
        return None
    if x.nan:
        same = call.redo("operator.eq", x, x)
        assert isinstance(same, Array)
        x = replace(masked(call.walk, x, same, call.place), nan=False, term=None)
    return call.redo("builtins.len", x) if call.name == "method.count" else x


@rule(
    "method.fillna",
    statement="A value that is missing becomes a public number.",
    proof="By definition.",
)
def filled_series(call: Application) -> Value | None:
    """series.fillna(0)."""
    x, value = call.bind("self", "value", required=2)
    if _series(call) is None or not isinstance(value, Number) or not value.public or value.nan:
        return None
    assert isinstance(x, Array)
    if not x.nan or x.kind == "object":
        return x if x.kind != "object" and not x.boolean else None
    same = call.redo("operator.eq", x, x)
    present = replace(x, nan=False, container="array", why="", term=None)
    found = call.redo("numpy.where", same, present, value)
    return replace(found, container="pandas", dtype=x.dtype) if isinstance(found, Array) else None


@rule(
    "method.apply", "method.map", "method.transform",
    statement="A function of each value, or of each row, is one of the record.",
    proof="By definition.",
)  # fmt: skip
def applied(call: Application) -> Value | None:
    """series.apply(f), series.map({…}), df.apply(f, axis=1)."""
    x, function, axis = call.bind("self", "func", "axis", required=2)
    whole = isinstance(x, Table) and x.container == "pandas" and not x.element
    if whole:
        if call.known(axis, 0) not in (1, "columns") or call.name != "method.apply":
            return None
    elif _series(call) is None or axis is not None:
        return None
    assert isinstance(x, Array | Table)
    if whole and not (isinstance(function, ClosureValue) and _bears_missing(function.function)):
        call.refuse("a function of each row that may raise an error for missing values")
    if isinstance(x, Array) and isinstance(function, DictValue | Known):
        return _by_dict(call, x, function)
    if not isinstance(function, ClosureValue | FunctionValue):
        return None
    return _of_each(call, x, function)


_BEARING = frozenset(
    {f"operator.{word}" for word in ("lt", "le", "gt", "ge", "eq", "ne", "not_", "neg", "abs",
                                     "add", "sub", "mul")}
    | {"builtins.min", "builtins.max", "builtins.abs", "builtins.float"}
)  # fmt: skip


def _bears_missing(function: Function) -> bool:
    """Return whether a function of a row raises no error where all of the row is missing.

    For a frame without rows pandas calls it with such a row. If that raises an error, the result
    is the frame and no series: this tells that there are no rows.
    """
    row = function.parameters
    for node in (part for statement in function.body for part in walk(statement)):
        match node:
            case Call(function=str() as name, keywords=()) if name in _BEARING:
                texts = [a for a in node.arguments if getattr(a, "value", None).__class__ is str]
                if texts and name not in ("operator.eq", "operator.ne"):
                    return False
            case Subscript(value=Name(id=name), index=Constant(value=str())) if name in row:
                continue
            case Name() | Constant() | Choice() | Logic() | Return() | Assign() | Branch():
                continue
            case _:
                return False
    return True


def _of_each(call: Application, x: Array | Table, function: Value) -> Value | None:
    rows: Any = x.rows
    body = Body(call.walk, rows, call.place, set())
    if isinstance(x, Array):
        x = replace(x, container="array")
    else:
        columns = {n: replace(c, container="list", dtype="") for n, c in x.columns.items()}
        x = replace(x, columns=columns)
    before = contents(call.walk.frames)
    call.walk.private.append((x, call.place))
    try:
        entry = apply_value(call.walk, function, [element_of(x)], {}, call.place)
    finally:
        call.walk.private.pop()
    after = contents(call.walk.frames)
    if len(before) != len(after) or any(a is not b for a, b in zip(before, after, strict=True)):
        call.refuse("a function of each value that changes a variable around it")
    found = entries_of(body, entry)
    return replace(found, container="pandas", buffer=fresh()) if isinstance(found, Array) else None


def _by_dict(call: Application, x: Array, function: DictValue | Known) -> Value | None:
    """Return the values of a dict at the entries; what it lacks would be missing."""
    items = function.items if isinstance(function, DictValue) else function.value
    if isinstance(items, dict) and isinstance(function, Known):
        items = {key: constant(value) for key, value in items.items()}
    if not isinstance(items, dict) or x.values is None or not set(x.values) <= set(items):
        return None
    images = [items[value] for value in x.values]
    if x.nan or not all(isinstance(image, Number) and image.public for image in images):
        return None
    entries = replace(x, container="array")
    found: Value = items[x.values[-1]]
    for value in reversed(x.values[:-1]):
        test = call.redo("operator.eq", entries, constant(value))
        found = call.redo("numpy.where", test, items[value], found)
    found = entries_of(Body(call.walk, x.shape[0], call.place, set()), found) if (
        isinstance(found, Number)
    ) else found  # fmt: skip
    return replace(found, container="pandas", buffer=fresh()) if isinstance(found, Array) else None


@rule(
    "method.nunique",
    statement="The number of different values moves by at most one a record.",
    proof="Dwork & Roth 2014, Example 3.1: a record has one value.",
)
def different_values_of_series(call: Application) -> Value | None:
    """series.nunique()."""
    x = _series(call)
    if x is None or len(call.args) > 1 or call.keywords or x.nan:
        return None
    return call.redo("builtins.len", call.redo("numpy.unique", replace(x, container="array")))
