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
from typing import Any

from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.arrays import mapped
from dpaudit.checker.cost.compare import ORDERS, compared, found
from dpaudit.checker.cost.ends import ZERO, least, most
from dpaudit.checker.cost.rows import Rows, Table, by_lane, chosen, elementwise, summed, within
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import Unknown, is_known, unknown
from dpaudit.checker.exact.numbers import Number, number

_ARITHMETIC = ("add", "sub", "mul", "truediv")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Columns with labels."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A column with labels."""

    rows: Rows


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
        return (value.table if isinstance(value, Frame) else value.rows).view.length()
    if library == "operator" and not named:
        return _operated(run, word, args)
    if isinstance(value, Series) and not others and not named:
        if name in ("method.to_numpy", "attribute.values", "numpy.asarray", "numpy.array"):
            return value.rows
        if name == "attribute.size":
            return value.rows.view.length()
        if name in ("method.sum", "builtins.abs", "method.abs"):
            return total(run, value) if word == "sum" else _operated(run, "abs", args)
    if isinstance(value, Series) and name == "method.clip":
        return clipped(run, value, *others, **named)
    raise run.refused(f"{name} of a {type(value).__name__.lower()}")


def _operated(run: Run, word: str, args: list[Any]) -> Series:
    """Apply an operator to each value; labels are those of the series."""
    operands = [value.rows if isinstance(value, Series) else value for value in args]
    rows = [value for value in operands if isinstance(value, Rows)]
    for value in operands:
        if not isinstance(value, Rows) and not is_known(value):
            raise run.refused(f"operator.{word} of a series and {type(value).__name__.lower()}")
    booleans = all(value.dtype == "bool" for value in rows) and len(rows) == len(operands)
    if word in ORDERS and len(operands) == 2:
        return Series(elementwise(run, word, lambda x, y: compared(run, word, x, y), *operands))
    if (word in ("and_", "or_") and booleans) or (word in _ARITHMETIC and len(operands) == 2):
        two = _missing_stays(run, lambda x, y: binary(run, word, x, y))
        return Series(elementwise(run, word, two, *operands))
    if word == "invert" and booleans:
        return Series(elementwise(run, "not", lambda x: unary(run, "not", x), *operands))
    if word in ("neg", "abs") and len(operands) == 1 and rows[0].dtype != "bool":
        one = _missing_stays(run, lambda x: unary(run, word, x))
        return Series(elementwise(run, word, one, *operands))
    raise run.refused(f"operator.{word} of a series")


def total(run: Run, value: Series) -> Any:
    """Return the sum of a series: missing values are left out."""
    rows = value.rows

    def present(x: Any) -> Any:
        x = found(run, x)
        if isinstance(x, float) and math.isnan(x):
            return number(0)
        if isinstance(x, Unknown) and x.nan:
            return replace(x, nan=False, low=least((x.low, ZERO)), high=most((x.high, ZERO)))
        return x

    lanes = by_lane(run, rows.view, lambda lane: mapped(present, rows.lanes[lane]))
    return summed(run, Rows(rows.view, lanes, rows.dtype))[()]


def clipped(run: Run, value: Series, lower: Any = None, upper: Any = None) -> Series:
    """Return a series brought into a range; missing values stay what they are.

    Bounds in the wrong order are swapped, those that are NaN are left out, and integers become
    floats where bounds are: such bounds are refused.
    """
    rows = value.rows
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
        return Series(of.table.columns[at])
    if isinstance(at, Series):
        if isinstance(of, Series):
            return Series(within(of.rows, chosen(run, of.rows, at.rows)))
        columns = of.table.columns
        view = chosen(run, next(iter(columns.values())), at.rows)
        return Frame(Table(view, {name: within(c, view) for name, c in columns.items()}))
    raise run.refused(f"this index of a {type(of).__name__.lower()}")
