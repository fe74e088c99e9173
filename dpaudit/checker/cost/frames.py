"""Frames and series of pandas: columns with labels, of which few operations are followed.

What pandas does differs from NumPy where values are missing (a sum leaves them out) and where
labels differ (rows are brought together by them). So nothing of what is known of arrays holds for
a series by itself; a series of all records, or of those for which one test is true, has the labels
of the other columns, and only such are combined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.array_functions import astype
from dpaudit.checker.cost.array_functions import where as array_where
from dpaudit.checker.cost.arrays import dtype_of, mapped
from dpaudit.checker.cost.columns import column_stack
from dpaudit.checker.cost.compare import compared, found
from dpaudit.checker.cost.constants import Named
from dpaudit.checker.cost.ends import end, least, most
from dpaudit.checker.cost.locations import among
from dpaudit.checker.cost.positional_records import at_place, is_placed
from dpaudit.checker.cost.record_columns import (
    Distinct,
    Rows,
    Table,
    View,
    by_lane,
    chosen,
    elementwise,
    summed,
    within,
)
from dpaudit.checker.cost.record_functions import ends_of
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Unknown, is_known, unknown
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.operators import FIELD, ORDERS
from dpaudit.checker.wording import described, in_words
from dpaudit.extras import optional

_BY_NUMBER = ("floordiv", "mod", "pow")  # by a positive number that is known, of numbers
_SPELLED = {"div": "truediv", "divide": "truediv", "multiply": "mul", "subtract": "sub"}
_METHODS = {
    f"method.{word}": _SPELLED.get(word, word) for word in (*ORDERS, *FIELD, *_BY_NUMBER, *_SPELLED)
}
_LARGEST = ("maximum", "minimum")
_ONE = ("neg", "abs", "square", "sqrt", "log1p", "tanh")
_NUMPY = {f"numpy.{word}": word for word in (*_LARGEST, *_ONE)} | {"numpy.absolute": "abs"}
_EXTREME = {
    f"{library}.{word}": found
    for word, found in (("max", "maximum"), ("min", "minimum"), ("median", "median"))
    for library in ("method", "numpy")
}
# What takes values without their labels, and the name by which it does.
_UNLABELLED_WORDS = """
numpy.asarray numpy.bincount numpy.column_stack numpy.count_nonzero numpy.digitize numpy.histogram
numpy.histogram2d numpy.hstack numpy.linalg.norm numpy.stack numpy.std numpy.unique numpy.var
numpy.vstack numpy.where builtins.enumerate builtins.set builtins.sum builtins.zip
collections.Counter
"""
UNLABELLED = {name: name for name in _UNLABELLED_WORDS.split()}
UNLABELLED |= {"method.var": "numpy.var", "method.std": "numpy.std"}
UNLABELLED |= dict.fromkeys(("method.to_numpy", "attribute.values", "numpy.array"), "numpy.asarray")
DDOF = ("method.var", "method.std")  # which divide by one less, unless told otherwise


OF_MISSING = {
    f"{of}.{word}": word == "notna" for of in ("method", "pandas") for word in ("notna", "isna")
}
_OF_NO_ROW = frozenset(f"method.{word}" for word in ("rename", "drop", "copy")) | {
    "attribute.columns", "attribute.shape"
}  # fmt: skip
_KEPT = {"method.where": True, "method.mask": False}
# What takes a frame as a container, which holds the names of its columns.
_OF_NAMES = frozenset(
    f"builtins.{word}" for word in ("list", "tuple", "sorted", "set", "enumerate", "zip")
) | {"operator.contains"}


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Columns with labels."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A column with labels."""

    rows: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The labels of records, of which only the number is told."""

    view: View


@dataclass(frozen=True, slots=True, eq=False)
class ByNumber:
    """A frame or a series of which the entries are asked for by their numbers: ``iloc``."""

    of: Frame | Series


Held = TypeVar("Held", Frame, Series)


def names_of(run: Run, of: Frame) -> list[str]:
    """Return the names of the columns in their order."""
    if of.table.hidden:
        raise run.refused("columns that are not known")
    return list(of.table.columns)


def contained(run: Run, name: str, args: list[Any]) -> list[Any]:
    """Return arguments with the names of the columns for frames, where those are containers."""
    if name not in _OF_NAMES or not any(isinstance(value, Frame) for value in args):
        return args
    return [names_of(run, value) if isinstance(value, Frame) else value for value in args]


def called_on(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """Return what a function returns of frames and series.

    Raises
    ------
    NotCheckedError
        Where it, or this use of it, is not understood.
    """
    value, others = args[0], args[1:]
    library, _, word = name.partition(".")
    if name == "builtins.len" and not others and not named:
        return _view(value).length()
    if name == "attribute.index" and not named:
        return Labels(_view(value))
    if name == "attribute.empty" and (isinstance(value, Series) or value.table.columns):
        return compared(run, "eq", _view(value).length(), 0)
    if library == "operator" and not named:
        return _operated(run, word, args)
    if name == "attribute.iloc":
        return ByNumber(value)
    if name == "method.reset_index" and not others and named == {"drop": True}:
        return renumbered(value)
    if isinstance(value, Frame) and name == "method.dropna" and not others:
        return _without_missing(run, value, **named)
    if isinstance(value, Frame) and not others and not named:
        return _of_frame(run, value, library, word)
    if isinstance(value, Frame) and name == "method.assign" and not others:
        return _with_columns(run, value, named)
    if isinstance(value, Frame) and name not in _OF_NO_ROW:
        validate_rows(run, value)
    if isinstance(value, Frame) and name == "method.rename" and not others:
        return _with_names(run, value, **named)
    if isinstance(value, Series) and name in _METHODS and len(others) == 1 and not named:
        return _operated(run, _METHODS[name], args)
    if isinstance(value, Series) and name in OF_MISSING and not others and not named:
        there = Series(present(run, value.rows))
        return there if OF_MISSING[name] else _operated(run, "invert", [there])
    if isinstance(value, Series) and name in _KEPT and len(others) == 2 and not named:
        return _kept(run, value, *others, where=_KEPT[name])
    if isinstance(value, Frame) and name == "method.select_dtypes":
        return _of_numbers(run, value, *others, **named)
    if isinstance(value, Frame) and name == "method.drop":
        return _without_columns(run, value, *others, **named)
    if isinstance(value, Series) and name == "method.fillna" and len(others) == 1 and not named:
        return _filled(run, value, *others)
    if isinstance(value, Series) and not others and not named:
        if name in ("method.tolist", "method.to_list", "builtins.list"):
            rows = value.rows
            return Rows(rows.view, rows.lanes, rows.dtype, listed=True)
        if name in ("method.copy", "method.count", "method.dropna", "method.mean", "numpy.mean"):
            return _of_series(run, value, word)
        if name in _EXTREME:
            return among(_EXTREME[name])(run, value.rows)
        if name == "attribute.shape":
            return (value.rows.view.length(),)
        if name == "attribute.size":
            return value.rows.view.length()
        if name in ("method.nunique", "method.unique"):
            return how_many(run, value) if word == "nunique" else Distinct(value.rows)
        if name in ("method.sum", "numpy.sum", "builtins.abs", "method.abs"):
            return total(run, value) if word == "sum" else _operated(run, "abs", args)
    if isinstance(value, Series) and name in ("method.clip", "numpy.clip"):
        return clipped(run, value, *others, **named)
    if isinstance(value, Series) and name == "method.astype" and len(others) == 1 and not named:
        return Series(astype(run, value.rows, *others))
    if name in _NUMPY and not named:
        return _operated(run, _NUMPY[name], args)
    raise run.refused(f"{in_words(name)} of {described(value)}")


def _view(of: Frame | Series) -> View:
    return of.table.view if isinstance(of, Frame) else of.rows.view


def of_labels(run: Run, name: str, of: Labels) -> Any:
    """Return the number of records, asked of their labels."""
    if name in ("builtins.len", "attribute.size"):
        return of.view.length()
    if name == "attribute.shape":
        return (of.view.length(),)
    raise run.refused("the labels of records")


def how_many(run: Run, value: Series) -> Unknown:
    """Return how many different values there are; those that are missing are not counted."""
    if value.rows.rest:
        raise run.refused("the different values of arrays")
    return Distinct(value.rows).length()


def unlabelled(run: Run, name: str, value: Any) -> Any:
    """Return a series, or the columns of a frame side by side, as functions without labels do."""
    if isinstance(value, Series):  # and arrays of texts are no categories
        known = value.rows.categories is not None
        return replace(value.rows, categories=None) if known else value.rows
    if isinstance(value, list | tuple):
        return [unlabelled(run, name, each) for each in value]
    if not isinstance(value, Frame):
        return value
    validate_rows(run, value)
    columns = list(value.table.columns.values())
    types = {rows.dtype for rows in columns}
    if value.table.hidden or UNLABELLED[name] != "numpy.asarray" or not types <= {"int", "float"}:
        raise run.refused(f"{in_words(name)} of a frame")
    if len(types) > 1:
        columns = [astype(run, rows, Named("builtins.float")) for rows in columns]
    return column_stack(run, columns)


def _of_frame(run: Run, of: Frame, library: str, word: str) -> Any:
    """Return an attribute of a frame, or what a method without arguments returns."""
    table = of.table
    if library == "method" and word == "copy":
        return Frame(Table(table.view, dict(table.columns), table.hidden))
    if library == "attribute" and word == "shape" and not table.hidden:
        return table.view.length(), len(table.columns)
    if word in ("columns", "keys") and word not in table.columns:
        return names_of(run, of)
    if library == "method" and word == "items" and not table.hidden:
        return [(name, Series(rows)) for name, rows in table.columns.items()]
    if library == "attribute" and word in table.columns and not _is_taken(word):
        return Series(table.columns[word])
    raise run.refused(f"{library}.{word} of a frame")


def _with_columns(run: Run, of: Frame, columns: dict[str, Any]) -> Frame:
    """Return ``frame.assign(name=column, ...)``."""
    found = Frame(Table(of.table.view, dict(of.table.columns), of.table.hidden))
    for name, value in columns.items():
        store(run, found, name, value)
    return found


def _of_numbers(run: Run, of: Frame, include: Any = None) -> Frame:
    """Return ``frame.select_dtypes("number")``."""
    wanted = include[0] if isinstance(include, list) and len(include) == 1 else include
    if wanted not in ("number", Named("numpy.number")) or of.table.hidden:
        raise run.refused("columns of these types")
    kept = {n: rows for n, rows in of.table.columns.items() if rows.dtype in ("int", "float")}
    return Frame(Table(of.table.view, kept))


def _with_names(run: Run, of: Frame, *, columns: Any = None) -> Frame:
    """Return ``frame.rename(columns={old: new})``."""
    names = columns if isinstance(columns, dict) else {None: None}
    new = [names.get(name, name) for name in of.table.columns]
    if not all(isinstance(name, str) for name in (*names, *new)) or len(set(new)) < len(new):
        raise run.refused("columns with these names")
    columns = dict(zip(new, of.table.columns.values(), strict=True))
    return Frame(Table(of.table.view, columns, of.table.hidden))


def _without_missing(run: Run, of: Frame, *, subset: Any = None) -> Frame:
    """Return ``frame.dropna(subset=names)``."""
    if of.table.hidden and subset is None:
        raise run.refused("columns that are not known")
    names = [subset] if isinstance(subset, str) else subset or list(of.table.columns)
    if not isinstance(names, list | tuple) or not all(n in of.table.columns for n in names):
        raise run.refused("rows without missing values of these columns")
    found = of
    for name in names:
        there = present(run, found.table.columns[name])
        view = chosen(run, found.table.columns[name], there)
        kept = {at: within(rows, view) for at, rows in found.table.columns.items()}
        kept[name] = _not_missing(kept[name])
        found = Frame(Table(view, kept, of.table.hidden))
    return found


def _without_columns(
    run: Run, of: Frame, labels: Any = None, *, axis: Any = 0, columns: Any = None
) -> Frame:
    """Return ``frame.drop(columns=names)``."""
    names = labels if columns is None and axis in (1, "columns") else columns
    gone = [names] if isinstance(names, str) else names
    known = isinstance(gone, list | tuple) and all(name in of.table.columns for name in gone)
    if not known or (labels is not None and columns is not None):
        raise run.refused("columns dropped by these arguments")
    kept = {name: rows for name, rows in of.table.columns.items() if name not in gone}
    return Frame(Table(of.table.view, kept, of.table.hidden))


def renumbered(of: Held) -> Held:
    """Return records with the numbers from 0 as labels, which others of the same do not have."""
    if isinstance(of, Series):
        view = replace(of.rows.view, whole=False)
        return Series(within(of.rows, view))
    view = replace(of.table.view, whole=False)
    columns = {name: within(rows, view) for name, rows in of.table.columns.items()}
    return Frame(Table(view, columns, of.table.hidden))


def of_arrays(of: Held) -> Held:
    """Return what is made of arrays: it has the numbers from 0 as labels, as all records do."""
    return of if _view(of).whole else renumbered(of)


def at_number(run: Run, of: Frame | Series, at: Any) -> Any:
    """Return ``series.iloc[number]``, ``frame.iloc[:, numbers]``, or an entry of a frame."""
    if isinstance(of, Series) and type(at) is int:
        return at_place(run, of.rows, at)
    if isinstance(of, Frame) and isinstance(at, tuple) and list(map(type, at)) == [int, int]:
        return at_place(run, of.table.columns[names_of(run, of)[at[1]]], at[0])
    pair = isinstance(at, tuple) and len(at) == 2 and at[0] == slice(None)
    if not isinstance(of, Frame) or not pair or not isinstance(at[1], int | slice | list):
        raise run.refused("iloc, but as of one number, or as frame.iloc[:, numbers]")
    names = names_of(run, of)
    if isinstance(at[1], list):
        return entry(run, of, [names[i] for i in at[1]])
    return entry(run, of, names[at[1]])


def _is_taken(name: str) -> bool:
    """Whether frames have an attribute of this name, which hides a column."""
    pd = optional("pandas")

    return hasattr(pd.DataFrame, name)


def _of_series(run: Run, of: Series, word: str) -> Any:
    """Return a copy of a series, its values that are not missing, their number, or the mean."""
    rows = of.rows
    if word == "copy":
        return Series(rows)
    if word == "mean":  # the sum refuses what may be missing
        return binary(run, "truediv", summed(run, rows)[()], rows.view.length())
    view = chosen(run, rows, present(run, rows))
    if word == "count":
        return view.length()

    return Series(_not_missing(within(rows, view)))


def _not_missing(kept: Rows) -> Rows:
    """Return a column of the records whose value in it is there."""

    def there(x: Any) -> Any:
        return replace(x, nan=False) if isinstance(x, Unknown) and x.nan else x

    lanes = {lane: mapped(there, cells) for lane, cells in kept.lanes.items()}
    return Rows(kept.view, lanes, kept.dtype, unit=kept.unit, untyped=kept.untyped)


def present(run: Run, rows: Rows) -> Rows:
    """Return of each record whether its value is there; no text and no integer is missing."""

    def is_there(x: Any) -> Any:
        value = (
            found(run, x) if rows.dtype == "float" else None
        )  # of one that changed: if it is NaN
        number = not isinstance(value, float | Unknown)
        number = number or (isinstance(value, Unknown) and not value.nan)
        return number or compared(run, "eq", value, value)

    return elementwise(run, "eq", is_there, rows)  # type: ignore[no-any-return]


def _kept(run: Run, of: Series, test: Any, other: Any, *, where: bool) -> Series:
    """Return a series with another number where a test is false, or true: of the same type."""
    rows = other.rows if isinstance(other, Series) else other
    kind = rows.dtype if isinstance(rows, Rows) else dtype_of(run, rows)
    typed = kind == of.rows.dtype or (kind, of.rows.dtype) == ("int", "float")
    if not isinstance(test, Series) or kind not in ("int", "float") or not typed:
        raise run.refused("values replaced by these where a test says so")
    yes, no = (of.rows, rows) if where else (rows, of.rows)
    return Series(array_where(run, test.rows, yes, no))


def _filled(run: Run, of: Series, value: Any) -> Series:
    """Return a series with a number for each value that is missing."""
    rows = of.rows
    if rows.dtype == "int":
        return of
    if rows.dtype != "float" or isinstance(value, bool) or not isinstance(value, int | Number):
        raise run.refused("missing values replaced by this")
    return Series(_with_number(run, rows, value))


def _with_number(run: Run, rows: Rows, value: Any) -> Rows:
    number_for = end(value)

    def told(x: Any) -> Any:
        x = found(run, x)
        if isinstance(x, float) and math.isnan(x):
            return number_for
        if isinstance(x, Unknown) and x.nan:
            low, high = least((x.low, number_for)), most((x.high, number_for))
            return replace(x, nan=False, low=low, high=high)
        return x

    lanes = by_lane(run, rows.view, lambda lane: mapped(told, rows.lanes[lane]))
    return Rows(rows.view, lanes, rows.dtype, untyped=rows.untyped)


def of_places(value: Any, size: Any) -> bool:
    """Whether a value is a series of known labels, and these are the places of all records."""
    return getattr(value, "labels", None) == tuple(range(size))


def validate_rows(run: Run, of: Frame) -> None:
    """Refuse a frame of which a column has its values by the places of the records."""
    if not all(isinstance(column, Rows) for column in of.table.columns.values()):
        raise run.refused("rows of a frame of which some columns have noise for each record")


def store(run: Run, of: Frame, at: Any, value: Any) -> None:
    """Put a column into a frame, which all names of that frame see."""
    rows = value.rows if isinstance(value, Series) else value
    columns: Any = of.table.columns
    placed = is_placed(run, of.table.view) and isinstance(columns, dict)
    if placed and isinstance(at, str) and of_places(value, of.table.view.size):
        columns[at] = value
        return
    fits = isinstance(rows, Rows) and rows.view is of.table.view and not rows.rest
    if not isinstance(at, str) or not fits or rows.listed or not isinstance(columns, dict):
        raise run.refused("a column set to this")
    columns[at] = rows


def _operated(run: Run, word: str, args: list[Any]) -> Series:
    """Apply an operator to each value; labels are those of the series."""
    operands = [value.rows if isinstance(value, Series) else value for value in args]
    rows = [value for value in operands if isinstance(value, Rows)]
    for value in operands:
        if not isinstance(value, Rows) and not is_known(value):
            raise run.refused(f"{in_words(word)} of a series and {described(value)}")
    booleans = all(value.dtype == "bool" for value in rows) and len(rows) == len(operands)
    if word in ORDERS and len(operands) == 2:
        return Series(elementwise(run, word, lambda x, y: compared(run, word, x, y), *operands))
    by = operands[1] if len(operands) == 2 else None
    whole = type(by) is int or (isinstance(by, Number) and word != "pow")
    numbers = rows[0].dtype in ("int", "float")
    if by is not None and (
        (word in ("and_", "or_") and booleans)
        or word in FIELD
        or (word in _LARGEST and numbers)
        or (word in _BY_NUMBER and numbers and whole and number(by).sign() > 0)
    ):
        two = _missing_stays(run, lambda x, y: binary(run, word, x, y))
        return Series(elementwise(run, word, two, *operands))
    if word == "invert" and booleans:
        return Series(elementwise(run, "not", lambda x: unary(run, "not", x), *operands))
    if word in _ONE and len(operands) == 1 and numbers:
        one = _missing_stays(run, lambda x: unary(run, word, x))
        return Series(elementwise(run, word, one, *operands))
    raise run.refused(f"{in_words(word)} of a series")


def total(run: Run, value: Series) -> Any:
    """Return the sum of a series: missing values are left out."""
    return summed(run, _with_number(run, value.rows, number(0)))[()]


def clipped(run: Run, value: Series, lower: Any = None, upper: Any = None, **names: Any) -> Series:
    """Return a series brought into a range; missing values stay what they are.

    Bounds in the wrong order are swapped, those that are NaN are left out, and integers become
    floats where bounds are: such bounds are refused.
    """
    rows = value.rows
    lower, upper = ends_of(run, lower, upper, names)
    wanted: Any = int if rows.dtype == "int" else int | Number
    bounds = [bound for bound in (lower, upper) if bound is not None]
    if rows.dtype not in ("int", "float") or not all(
        isinstance(bound, wanted) and not isinstance(bound, bool) for bound in bounds
    ):
        raise run.refused("a series brought into a range of this kind")
    if len(bounds) == 2 and compared(run, "gt", lower, upper) is not False:
        raise run.refused("a series brought into a range of which the ends are exchanged")
    ends = [(n, b) for n, b in (("maximum", lower), ("minimum", upper)) if b is not None]

    def brought(x: Any) -> Any:
        for name, bound in ends:
            x = binary(run, name, x, bound)
        return x

    return Series(elementwise(run, "abs", _missing_stays(run, brought), rows))


def _missing_stays(run: Run, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numbers that gives NaN where one of them is."""

    def of(*values: Any) -> Any:
        held = [found(run, value) for value in values]
        if any(isinstance(x, float) and math.isnan(x) for x in held):
            return math.nan
        missing = any(isinstance(x, Unknown) and x.nan for x in held)
        plain = [replace(x, nan=False) if isinstance(x, Unknown) else x for x in held]
        result = function(*plain)
        return replace(unknown(result), nan=True) if missing else result

    return of


def entry(run: Run, of: Frame | Series, at: Any) -> Frame | Series:
    """Return a column, or the rows for which a series of truth values is true."""
    if isinstance(of, Frame) and isinstance(at, str):
        column: Any = of.table.columns[at]
        return Series(column) if isinstance(column, Rows) else column
    names = isinstance(at, list) and all(isinstance(n, str) for n in at)
    if isinstance(of, Frame) and names and len(set(at)) == len(at):
        return Frame(Table(of.table.view, {name: of.table.columns[name] for name in at}))
    if isinstance(at, Series):
        if isinstance(of, Series):
            return Series(within(of.rows, chosen(run, of.rows, at.rows)))
        validate_rows(run, of)
        columns = of.table.columns
        view = chosen(run, next(iter(columns.values())), at.rows)
        kept = {name: within(c, view) for name, c in columns.items()}
        return Frame(Table(view, kept, of.table.hidden))
    raise run.refused(f"this index of {described(of)}")
