"""Records merged with a table of known rows, of which no two have the same key.

Each record comes to one row at most, so that every new column is a function of the record. With two
rows of one key one record would become several, with none a left merge leaves values missing: both
are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.checker.cost.arithmetic import binary
from dpaudit.checker.cost.compare import compared
from dpaudit.checker.cost.frames import Frame, Series, entry, renumbered, store, validate_rows
from dpaudit.checker.cost.labelled import Labelled
from dpaudit.checker.cost.record_columns import ANY, Rows, Table, elementwise
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sheets import Sheet
from dpaudit.checker.cost.values import Text
from dpaudit.checker.exact.numbers import Number

Mapped = Callable[[Series, dict[Any, Any]], Any]
_MANY_TO_ONE = ("m:1", "many_to_one")


def lookup(of: Any) -> Any:
    """Return a series of known numbers as the dict that it is when a column is mapped by it."""
    if not isinstance(of, Labelled) or of.missing:
        return of
    numbers = list(of.values.cells.flat)
    known = all(isinstance(n, int | Number) and not isinstance(n, bool) for n in numbers)
    return dict(zip(of.labels, numbers, strict=True)) if known else of


def called_on(
    run: Run, name: str, args: list[Any], named: dict[str, Any], mapped: Mapped
) -> tuple[Frame] | None:
    """Return ``frame.merge(table, ...)``, or ``pandas.merge``; None for other calls.

    Parameters
    ----------
    run : Run
    name : str
    args : list
    named : dict
    mapped : callable
        What gives a column of what a dict has for each value of another one.
    """
    if name not in ("method.merge", "pandas.merge") or len(args) < 2:
        return None
    left, right, *others = args
    if not isinstance(left, Frame) or not isinstance(right, Sheet):
        return None
    given = dict(zip(("how", "on"), others, strict=False)) | named
    validate_rows(run, left)
    left_on, right_on = _keys(run, left, right, given)
    if len(others) > 2 or set(given) - {"how", "on", "left_on", "right_on", "validate"}:
        raise run.refused("a merge of this kind")
    if given.get("validate", "m:1") not in _MANY_TO_ONE:
        raise run.refused("a merge of this kind")
    return (_merged(run, left, right, left_on, right_on, given.get("how", "inner"), mapped),)


def _keys(run: Run, left: Frame, right: Sheet, given: dict[str, Any]) -> tuple[str, str]:
    """Return by which columns rows are brought together."""
    if left.table.hidden:
        raise run.refused("a merge of columns that are not known")
    shared = [name for name in left.table.columns if name in right.columns]
    on = given.get("on", shared[0] if len(shared) == 1 else None)
    both = given.get("left_on", on), given.get("right_on", on)
    if isinstance(on, str) and ("left_on" in given) is not ("right_on" in given):
        raise run.refused("a merge of this kind")
    left_on, right_on = both
    if not isinstance(left_on, str) or not isinstance(right_on, str):
        raise run.refused("a merge by these columns")
    if set(shared) - ({left_on} if left_on == right_on else set()):
        raise run.refused("a merge of two columns of one name")
    return left_on, right_on


def _merged(
    run: Run, left: Frame, right: Sheet, left_on: str, right_on: str, how: Any, mapped: Mapped
) -> Frame:
    of: Rows = left.table.columns[left_on]
    keys = _values(run, right.columns[right_on])
    kinds = {"str": str, "int": int}
    if of.rest or of.dtype not in kinds or {type(key) for key in keys} != {kinds[of.dtype]}:
        raise run.refused("a merge by keys of two types")
    if len(set(keys)) < len(keys):
        raise run.refused("a merge with a table of which two rows have the same key")
    if how == "inner":
        left = entry(run, left, Series(_is_among(run, of, keys)))  # type: ignore[assignment]
    elif how != "left" or not _all_among(of, keys):
        raise run.refused("a merge of records that may have no row in the table")
    found = Frame(Table(left.table.view, dict(left.table.columns)))
    column = found.table.columns[left_on]
    for name, values in right.columns.items():
        if name == right_on:
            if name != left_on:
                store(run, found, name, Series(column))
            continue
        pairs = dict(zip(keys, _values(run, values), strict=True))
        store(run, found, name, mapped(Series(column), pairs))
    return renumbered(found)


def _values(run: Run, column: Any) -> list[Any]:
    """Return the values of a column, which are known."""
    values = lookup(column)
    if isinstance(column, tuple):
        return list(column)
    if not isinstance(values, dict):
        raise run.refused("a merge with a table whose values are not known")
    return list(values.values())


def _is_among(run: Run, of: Rows, keys: list[Any]) -> Rows:
    def inside(value: Any) -> Any:
        found: Any = compared(run, "eq", value, keys[0])
        for key in keys[1:]:
            found = binary(run, "or_", found, compared(run, "eq", value, key))
        return found

    return elementwise(run, "eq", inside, of)  # type: ignore[no-any-return]


def _all_among(of: Rows, keys: list[Any]) -> bool:
    """Return whether every record's key is among those of the table."""
    anyone = of.lanes[ANY][()]
    if isinstance(anyone, str):
        return anyone in keys
    return isinstance(anyone, Text) and bool(anyone.words) and set(anyone.words) <= set(keys)
