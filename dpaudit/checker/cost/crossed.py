"""Tables by two labels, of which one is across: ``unstack``, ``pandas.crosstab``, ``pivot_table``.

Which labels occur together is private, so that such a table may only be asked for labels that are
known, down and across.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.frames import Series
from dpaudit.checker.cost.labelled import Grouped, Labelled, Tally, reindexed, tally
from dpaudit.checker.cost.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """What the records of each two labels come to, of which one is across.

    Attributes
    ----------
    of : Tally
    missing : bool
        Whether NaN stands for two labels that do not occur together.
    """

    of: Tally
    missing: bool


def called_on(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> tuple[Any] | None:
    """Return what a function makes of a table by two labels, or that table; None for other calls.

    Parameters
    ----------
    run : Run
    name : str
    args : list
    named : dict
    """
    if args and isinstance(args[0], Crossed):
        return (_across(run, name, args, **named),)
    if name == "pandas.crosstab" and len(args) == 2 and not named:
        return (crosstab(run, *args),)
    unstacked = name == "method.unstack" and len(args) == 1 and isinstance(args[0], Grouped)
    if unstacked and set(named) <= {"fill_value"}:
        return (crossed(run, args[0].of, named.get("fill_value")),)
    return None


def crossed(run: Run, of: Tally, fill: Any) -> Crossed:
    """Return what the records of two labels come to, with one of these across."""
    if len(of.labels) != 2:
        raise run.refused("a table across more or less than two labels")
    if fill is not None and (type(fill) is not int or fill != 0):
        raise run.refused("another number than 0 for labels that do not occur")
    return Crossed(of, fill is None)


def crosstab(run: Run, index: Any, columns: Any) -> Crossed:
    """Return ``pandas.crosstab(index, columns)``."""
    both = isinstance(index, Series) and isinstance(columns, Series)
    if not both or index.rows.view is not columns.rows.view:
        raise run.refused("a table of what are not two columns of the same records")
    return crossed(run, tally(run, (index.rows, columns.rows)), 0)


def product(run: Run, several: Any, **named: Any) -> list[Any]:
    """Return ``pandas.MultiIndex.from_product(labels)``."""
    if not isinstance(several, list | tuple) or set(named) - {"names"}:
        raise run.refused("labels of this kind")
    every = [list(each.cells.flat) if isinstance(each, Arr) else each for each in several]
    if not all(isinstance(each, list | tuple | range) for each in every):
        raise run.refused("labels that are not known")
    return list(itertools.product(*every))


def _across(
    run: Run,
    name: str,
    args: list[Any],
    *,
    index: Any = None,
    columns: Any = None,
    fill_value: Any = None,
) -> Labelled:
    """Return the numbers of known labels, down and across."""
    of, *others = args
    if name != "method.reindex" or others:
        raise run.refused("which values occur in the data", violation="DPA109")
    if not isinstance(index, list | tuple | range) or not isinstance(columns, list | tuple | range):
        raise run.refused("labels that are not known")
    fill = None if of.missing else fill_value
    found = reindexed(run, of.of, list(itertools.product(index, columns)), fill)
    cells = found.values.cells.reshape(len(index), len(columns))
    values = Arr(cells, found.values.dtype)
    if values.dtype == "float":  # a column that does not occur is filled with whole numbers
        run.untyped = True
    return Labelled(tuple(index), values, found.missing, tuple(columns))
