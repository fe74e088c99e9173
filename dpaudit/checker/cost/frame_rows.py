"""Rows of a frame one at a time: ``iterrows``, ``itertuples``, and ``apply`` along them.

A row that is a series has one type: whole numbers become floats beside floats, and beside texts and
truth values all stay what they are. Labels of rows are not told.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.array_functions import astype
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.frames import Frame, validate_rows
from dpaudit.checker.cost.one_by_one import Hidden, Records, records
from dpaudit.checker.cost.positional_records import at_place
from dpaudit.checker.cost.run import Run
from dpaudit.extras import optional

_MOST_FIELDS = 200  # of a named tuple; with more than 254, pandas gives plain tuples
_OF_FIELDS = {"builtins.tuple": tuple, "builtins.list": list}


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of a frame: a series, or a named tuple that has its fields in order.

    Attributes
    ----------
    columns : dict
    fields : tuple or None
    """

    columns: dict[str, Any]
    fields: tuple[Any, ...] | None = None


def rows(run: Run, of: Frame) -> Records:
    """Return the rows as series."""
    each = {name: _each(run, column) for name, column in _in_one_series(run, of).items()}
    return Records(
        of.table.view, lambda run: Row({name: one.item(run) for name, one in each.items()})
    )


def _in_one_series(run: Run, of: Frame) -> dict[str, Any]:
    """Return the columns of rows that are series: whole numbers become floats beside floats."""
    validate_rows(run, of)
    columns = dict(of.table.columns)
    if of.table.hidden or not columns:
        raise run.refused("rows of which not all columns are known")
    if {column.dtype for column in columns.values()} == {"int", "float"}:
        columns = {n: astype(run, c, Named("builtins.float")) for n, c in columns.items()}
    return columns


def at_number(run: Run, of: Frame, at: int) -> Row:
    """Return ``frame.iloc[number]``, of which texts are not looked at."""
    columns = _in_one_series(run, of)
    return Row({
        name: Hidden() if c.dtype == "str" else at_place(run, c, at) for name, c in columns.items()
    })  # fmt: skip


def _each(run: Run, column: Any) -> Records:
    several = records(column)
    if several is None or column.rest:
        raise run.refused("rows of arrays")
    return several


def called_on(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> tuple[Any] | None:
    """Return what goes through the rows of a frame, or a field of a row; None for other calls."""
    of = args[0] if args else None
    if isinstance(of, Row) and name.startswith("attribute."):
        return (_attribute(run, of, name.partition(".")[2]),)
    if isinstance(of, Row) and of.fields is not None and len(args) == 1 and not named:
        made = _OF_FIELDS.get(name)
        return None if made is None else (made(of.fields),)
    if not isinstance(of, Frame) or len(args) > 1:
        return None
    if name == "method.iterrows" and not named:
        several = rows(run, of)
        return (Records(several.view, lambda run: (Hidden(), several.item(run))),)
    if name == "method.itertuples" and set(named) <= {"index", "name"}:
        return (_tuples(run, of, **named),)
    return None


def _tuples(run: Run, of: Frame, *, index: Any = True, name: Any = "Pandas") -> Records:
    """Return the rows as named tuples, of which the label of the row may be the first field."""
    validate_rows(run, of)
    columns = of.table.columns
    plain = type(index) is bool and type(name) is str and name.isidentifier()
    if not plain or keyword.iskeyword(name) or len(columns) > _MOST_FIELDS or of.table.hidden:
        raise run.refused("rows as tuples of this kind")
    each = {name: _each(run, column) for name, column in columns.items()}

    def item(run: Run) -> Row:
        found = {name: one.item(run) for name, one in each.items()}
        return Row(found, (*(Hidden(),) * index, *found.values()))

    return Records(of.table.view, item)


def entry(run: Run, of: Row, at: Any) -> Any:
    """Return ``row[at]``."""
    if of.fields is None and isinstance(at, str):
        return of.columns[at]
    if of.fields is not None and type(at) is int:
        return of.fields[at]
    raise run.refused("this index of a row")


def _attribute(run: Run, of: Row, name: str) -> Any:
    """Return a column by an attribute, which no other attribute of a row hides."""
    pd = optional("pandas")

    own = hasattr(pd.Series, name) or name in ("name", "index", "dt", "cat")
    if of.fields is not None:  # fields of other names are renamed
        own = hasattr(tuple, name) or name == "Index" or keyword.iskeyword(name)
    if name not in of.columns or own or name.startswith("_") or not name.isidentifier():
        raise run.refused(f"the attribute {name!r:.40} of a row")
    return of.columns[name]
