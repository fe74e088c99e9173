"""Parts of records: lists of dicts, lists or tuples, one a record, as columns.

A record makes its container anew, and nothing changes it once the list has it: so the list is as
good as a column for each key, or for each place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.constants import FixedDict, FixedList
from dpaudit.checker.cost.record_columns import View
from dpaudit.checker.cost.values import parts_of

Form = tuple[str, tuple[Any, ...]]  # what kind of container it is, and its keys in their order


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A list of containers, one a record.

    Attributes
    ----------
    view : View
    columns : dict
        By key, or by place: a column, or `Parts`.
    of : {"dict", "list", "tuple", "row"}
    """

    view: View
    columns: dict[Any, Any]
    of: str = "dict"


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A row of a structured array."""

    columns: dict[str, Any]


class RecordDict(FixedDict):
    """A dict that a list has for one record."""


class RecordList(FixedList):
    """A list that a list has for one record."""


def form_of(value: Any) -> Form | None:
    """Return the form of a container that was made for one record, None of anything else."""
    if isinstance(value, Record):
        return "row", tuple(value.columns)
    if type(value) in (dict, RecordDict):
        return "dict", tuple(value)
    if isinstance(value, tuple):
        return "tuple", tuple(range(len(value)))
    return ("list", tuple(range(len(value)))) if type(value) in (list, RecordList) else None


def fields_of(value: Any) -> list[Any]:
    """Return what such a container holds, in the order of its keys."""
    return parts_of(value.columns if isinstance(value, Record) else value)


def remade(form: Form, parts: list[Any]) -> Any:
    """Return a container of this form, which may not be changed."""
    of, keys = form
    if of in ("dict", "row"):
        named = dict(zip(keys, parts, strict=True))
        return RecordDict(named) if of == "dict" else Record(named)
    return tuple(parts) if of == "tuple" else RecordList(parts)
