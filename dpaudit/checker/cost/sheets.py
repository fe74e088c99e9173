"""Frames whose rows have known labels: tables of results, and groups asked for by known keys.

Each column holds one number a label, as a series of known labels does, or known texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.cost.array_functions import asarray
from dpaudit.checker.cost.arrays import Arr, cell
from dpaudit.checker.cost.frames import Frame, Series, of_arrays
from dpaudit.checker.cost.labelled import Call, Labelled, Tally, labelled, reindexed
from dpaudit.checker.cost.record_columns import Rows, Table
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import is_known
from dpaudit.checker.operators import OF_FIELD
from dpaudit.extras import optional

_EACH_WORDS = "fillna clip round abs astype copy"
_EACH = frozenset(f"method.{word}" for word in _EACH_WORDS.split())


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A frame of known labels.

    Attributes
    ----------
    labels : tuple
    columns : dict of str to (Labelled or tuple of str)
        Which the program may add to.
    """

    labels: tuple[Any, ...]
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class GroupedFrame(Frame):
    """Several numbers of each group, of which `of` tells those of known keys."""

    of: dict[str, Tally]


def frame(run: Run, data: Any = None, *, index: Any = None, columns: Any = None) -> Sheet | Frame:
    """Return ``pandas.DataFrame({"name": values, ...})``, or of an array of records."""
    of_records = None if index is not None else _of_records(run, data, columns)
    if of_records is not None:
        return of_records
    if columns is not None:
        raise run.refused("a frame of this")
    if not isinstance(data, dict) or not data or not all(isinstance(n, str) for n in data):
        raise run.refused("a frame of this")
    sized = [v for v in data.values() if isinstance(v, list | tuple | Arr | Labelled)]
    first: Any = sized[0] if sized else None
    labels = first.labels if isinstance(first, Labelled) else index
    if labels is None and first is not None:
        labels = range(len(first.cells if isinstance(first, Arr) else first))
    if not isinstance(labels, list | tuple | range) or len(set(labels)) < len(labels):
        raise run.refused("a frame of which the labels are not known")
    if index is not None and (any(isinstance(v, Labelled) for v in sized)):
        raise run.refused("numbers of different labels")
    made = Sheet(tuple(labels), {})
    for name, values in data.items():
        store(run, made, name, values)
    return made


def _of_records(run: Run, data: Any, names: Any) -> Frame | None:
    """Return a frame that is made of arrays with an entry for each record, else None."""
    if isinstance(data, Frame | Table) and names is None:
        table = data if isinstance(data, Table) else data.table
        copied = Frame(Table(table.view, dict(table.columns), table.hidden))
        return copied if table is not data else of_arrays(copied)
    if isinstance(data, Rows) and not data.last and not data.listed and len(data.rest) < 2:
        named = isinstance(names, list | tuple) and all(isinstance(n, str) for n in names)
        if not named or len(names) != (*data.rest, 1)[0] or len(set(names)) < len(names):
            raise run.refused("a frame of which the columns have no names")
        every = {
            name: Rows(data.view, {k: cell(v.flat[i]) for k, v in data.lanes.items()}, data.dtype)
            for i, name in enumerate(names)
        }
        return of_arrays(Frame(Table(data.view, every)))
    if isinstance(data, dict) and data and names is None:
        found = {n: v.rows if isinstance(v, Series) else v for n, v in data.items()}
        if all(isinstance(v, Rows) and not v.listed and not v.rest for v in found.values()):
            views = [rows.view for rows in found.values()]
            if all(isinstance(n, str) for n in found) and all(v is views[0] for v in views):
                made = Frame(Table(views[0], found))
                labels = (
                    isinstance(v, Series) and v.rows.categories is None for v in data.values()
                )
                return made if any(labels) else of_arrays(made)
    return None


def store(run: Run, of: Sheet, at: Any, value: Any) -> None:
    """Put a column into a frame."""
    if not isinstance(at, str):
        raise run.refused("a column set to this")
    if isinstance(value, Labelled):
        if value.labels != of.labels:
            raise run.refused("numbers of different labels")
        of.columns[at] = value
        return
    texts = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if texts and len(value) == len(of.labels):
        of.columns[at] = tuple(value)
        return
    values = asarray(run, value) if isinstance(value, list | tuple) else value
    if not isinstance(values, Arr):
        raise run.refused("a column set to this")
    cells = values.cells.copy()  # the column is a copy
    of.columns[at] = labelled(run, of.labels, Arr(cells, values.dtype))


def entry(run: Run, of: Sheet, at: Any) -> Any:
    """Return a column, or several."""
    if isinstance(at, str) and at in of.columns:
        return of.columns[at]
    if isinstance(at, list) and all(isinstance(name, str) and name in of.columns for name in at):
        return Sheet(of.labels, {name: of.columns[name] for name in at})
    raise run.refused("this index of a frame of results")


def called_on(
    run: Run, name: str, args: list[Any], named: dict[str, Any], call: Call
) -> tuple[Any] | None:
    """Return what a function of such a frame returns; None for other calls."""
    if name in OF_FIELD and any(isinstance(value, Sheet) for value in args):
        return (_operated(run, name, args, call),)
    of = placed(args[0]) if args else None
    if isinstance(of, GroupedFrame) and name == "method.reindex":
        return (_reindexed(run, of, *args[1:], **named),)
    if not isinstance(of, Sheet):
        return None
    numbers = all(isinstance(column, Labelled) for column in of.columns.values())
    if name in _EACH and numbers:
        found = {at: call(name, [each, *args[1:]], named) for at, each in of.columns.items()}
        if all(isinstance(each, Labelled) for each in found.values()):
            return (Sheet(of.labels, found),)
    elif not args[1:] and not named:
        return _told(run, name, of, numbers)
    raise run.refused(f"{name.partition('.')[2]} of a frame of results")


def _operated(run: Run, name: str, args: list[Any], call: Call) -> Sheet:
    """Apply an operator to each column: with a number, an array of the same shape, or a frame."""
    of = next(value for value in args if isinstance(value, Sheet))
    parts = [_by_column(run, value, of) for value in args]
    found = {}
    for at, column in enumerate(of.columns):
        found[column] = call(name, [part[at] for part in parts], {})
    if not all(isinstance(each, Labelled) and each.labels == of.labels for each in found.values()):
        raise run.refused("a frame of results in this operation")
    return Sheet(of.labels, found)


def _by_column(run: Run, value: Any, like: Sheet) -> list[Any]:
    """Return what an operator takes for each column of a frame."""
    if isinstance(value, Sheet):
        alike = value.labels == like.labels and list(value.columns) == list(like.columns)
        if alike and all(isinstance(each, Labelled) for each in value.columns.values()):
            return list(value.columns.values())
    if isinstance(value, Arr) and value.cells.shape == (len(like.labels), len(like.columns)):
        return [Arr(cells, value.dtype) for cells in value.cells.T]
    if is_known(value) or (isinstance(value, Arr) and value.cells.ndim == 0):
        return [value] * len(like.columns)
    raise run.refused("a frame of results beside what does not fit it")


def placed(of: Any) -> Any:
    """Return a frame of columns by places as one of known labels, anything else as it is."""
    columns: Any = of.table.columns if isinstance(of, Frame) else {}
    if columns and all(isinstance(column, Labelled) for column in columns.values()):
        return Sheet(next(iter(columns.values())).labels, columns)
    return of


def _told(run: Run, name: str, of: Sheet, numbers: bool) -> tuple[Any] | None:
    """Return what is asked of a frame without arguments."""
    word = name.partition(".")[2]
    if name == "builtins.len":
        return (len(of.labels),)
    if name == "attribute.shape":
        return ((len(of.labels), len(of.columns)),)
    if name == "attribute.index":
        return (list(of.labels),)
    if name in ("attribute.columns", "builtins.list", "method.keys"):
        return (list(of.columns),)
    if name == "method.copy":
        return (Sheet(of.labels, dict(of.columns)),)
    if name == "method.items":
        return (list(of.columns.items()),)
    if word in ("values", "to_numpy") and numbers:
        columns = [column.values for column in of.columns.values()]
        if len({column.dtype for column in columns}) == 1:
            cells = np.stack([column.cells for column in columns], axis=1)
            cells.setflags(write=False)
            return (Arr(cells, columns[0].dtype),)
    if name == "method.to_dict":
        return ({n: _by_label(of.labels, column) for n, column in of.columns.items()},)
    if name.startswith("attribute.") and word in of.columns and not _is_taken(word):
        return (of.columns[word],)
    raise run.refused(f"{word} of a frame of results")


def _by_label(labels: tuple[Any, ...], column: Any) -> dict[Any, Any]:
    cells = column.values.cells if isinstance(column, Labelled) else column
    return dict(zip(labels, cells, strict=True))


def _is_taken(name: str) -> bool:
    return hasattr(optional("pandas").DataFrame, name)


def _reindexed(run: Run, of: GroupedFrame, index: Any = None, *, fill_value: Any = None) -> Sheet:
    """Return the numbers of the groups of known keys."""
    found = {name: reindexed(run, each, index, fill_value) for name, each in of.of.items()}
    first, *_ = found.values()
    return Sheet(first.labels, dict(found))
