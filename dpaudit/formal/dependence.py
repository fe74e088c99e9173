"""On which records a value depends, and whether on any."""

from __future__ import annotations

from typing import Any

from dpaudit.formal.domain import (
    Array,
    ClosureValue,
    DictValue,
    FunctionValue,
    Known,
    ListValue,
    Number,
    Rows,
    Table,
    Tuple,
)


def is_public(value: Any) -> bool:
    """Whether both runs hold the same; False for foreign values."""
    match value:
        case Number() | Array():
            return value.public
        case Tuple(items) | ListValue(items):
            return all(is_public(item) for item in items)
        case DictValue(items):
            return all(is_public(item) for item in items.values())
        case Table():
            return all(is_public(column) for column in value.columns.values())
        case Known() | ClosureValue() | FunctionValue():
            return True
    return False


def sources(value: Any) -> set[Rows] | None:
    """Return the rows that a private value is a function of; None where nobody knows."""
    if is_public(value):
        return set()
    match value:
        case Number() | Array():
            known = value.source if not isinstance(value, Array) or value.rows is None else (
                value.rows
            )  # fmt: skip
            return None if known is None else {known}
        case Tuple(items=items) | ListValue(items=items):
            found: set[Rows] = set()
            for item in items:
                each = sources(item)
                if each is None:
                    return None
                found |= each
            return found
    return None


def source_of(*values: Any) -> Rows | None:
    """Return the rows that all of the values together are a function of, if it is one set."""
    found: set[Rows] = set()
    for value in values:
        each = sources(value)
        if each is None:
            return None
        found |= each
    return next(iter(found)) if len(found) == 1 else None
