"""Numbers by labels: how many records have each value, or what they add up to, for known labels.

``value_counts()``, ``Counter(records)`` and ``groupby(key).size()`` have the labels that occur, and
which those are is private. ``reindex(labels, fill_value=0)`` asks for labels that are known, and so
does ``counts[label]`` of a `Counter`: what it gives is how many records have that label, 0 where
none has. The sum of a group that does not occur is 0 too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpaudit.checker.cost import (
    apart,
    keyed,
    means,
    one_by_one,
    positional_records,
    python_functions,
)
from dpaudit.checker.cost.arithmetic import binary, unary
from dpaudit.checker.cost.array_functions import asarray
from dpaudit.checker.cost.arrays import Arr, is_shared, mapped
from dpaudit.checker.cost.compare import compared, decided
from dpaudit.checker.cost.constants import FixedList
from dpaudit.checker.cost.frames import Frame, Series, how_many, of_arrays, total, validate_rows
from dpaudit.checker.cost.noise import shown
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import (
    ANY,
    Distinct,
    Rows,
    Table,
    chosen,
    elementwise,
    summed,
    within,
)
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.values import SHARED, Shared, Unknown
from dpaudit.checker.exact.numbers import Number, number
from dpaudit.checker.wording import described

_MOST_LABELS = 200
_LABELS: dict[str, Any] = {"str": str, "int": int, "bool": bool, "float": Number}
_LISTS = ("method.tolist", "method.to_list", "builtins.list")
_VIEWS = ("method.to_numpy", "attribute.values", "numpy.asarray")
_ITSELF = ("attribute.loc", "attribute.at", "method.copy")
_RENAMED = ("method.rename", "method.rename_axis")  # where a text is given: the labels stay
_OPERATORS_WORDS = "add sub mul truediv floordiv mod pow neg pos abs lt le gt ge eq ne"
_LABELS_STAY = frozenset(f"operator.{word}" for word in _OPERATORS_WORDS.split()) | {
    "numpy.maximum", "numpy.minimum", "numpy.absolute", "numpy.round", "numpy.clip", "numpy.cumsum",
    "method.clip", "method.round", "method.abs", "method.astype", "method.cumsum", "builtins.round",
}  # fmt: skip
_OF_VALUES_WORDS = """
builtins.zip builtins.enumerate builtins.sum builtins.max builtins.min builtins.sorted numpy.array
numpy.where numpy.argmax numpy.argmin numpy.sum numpy.max numpy.min numpy.mean
method.sum method.max method.min method.mean method.argmax method.argmin
"""
_OF_VALUES = frozenset(_OF_VALUES_WORDS.split())
_NUMBERS = ("method.sum", "method.mean")
_EACH_COLUMN = frozenset({"method.clip", "method.fillna", "method.astype", "method.abs", *_NUMBERS})
_RESPELLED = {
    "method.abs": "numpy.absolute",
    "method.round": "numpy.round",
    "builtins.round": "numpy.round",
}
_OF_GROUPS = ("method.reindex", "method.get", "method.to_dict", "method.unstack", "builtins.dict")
Call = Callable[[str, list[Any], dict[str, Any]], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What the records of each label come to, whichever labels occur.

    Attributes
    ----------
    labels : tuple of Rows
        The label of each record, or the parts of it.
    added : Rows or None
        What is added up of each record; None where records are counted.
    different : Rows or None
        Of what the different values are counted.
    python : bool
        Whether it is a `Counter`, which has 0 for a label that does not occur.
    mean : bool
        Whether what is added up is divided by how many records have the label.
    """

    labels: tuple[Rows, ...]
    added: Rows | None = None
    different: Rows | None = None
    python: bool = False
    mean: bool = False

    @property
    def categories(self) -> tuple[Any, ...]:
        """The labels that it has, where these are known."""
        return (self.labels[0].categories or ()) if len(self.labels) == 1 else ()

    @property
    def dtype(self) -> str:
        """The type of the numbers."""
        if self.mean:
            return "float"
        return "int" if self.added is None else self.added.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Numbers of known labels, as a series of pandas holds them.

    Attributes
    ----------
    labels : tuple of str or int
    values : Arr
    missing : bool
        Whether NaN still stands for labels that do not occur; `values` has 0 there.
    """

    labels: tuple[Any, ...]
    values: Arr
    missing: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Grouped(Series):
    """One number of each group, of which `of` tells those of known labels."""

    of: Tally


def tally(
    run: Run,
    labels: tuple[Rows, ...],
    added: Rows | None = None,
    *,
    different: Rows | None = None,
    python: bool = False,
    mean: bool = False,
) -> Tally:
    """Return what the records of each label come to."""
    for rows in labels:
        if rows.rest or rows.dtype not in _LABELS:
            raise run.refused(f"what occurs how often among {rows.dtype}")
        if rows.dtype == "float" and getattr(rows.lanes[ANY][()], "nan", True):
            raise run.refused("what occurs how often among what may be NaN")
    if added is not None and (added.rest or added.dtype not in ("int", "float")):
        raise run.refused(f"a sum by label of {added.dtype}")
    return Tally(labels, added, different, python, mean)


def counter(run: Run, *given: Any) -> Any:
    """Return ``collections.Counter(records)``, or one that is empty."""
    if not given:
        return keyed.Keyed(missing=0)
    (values,) = given
    if isinstance(values, one_by_one.Records):
        values = python_functions.listed(run, values)
    tuples = tuples_in(values)
    if tuples is not None:
        return tally(run, tuples, python=True)
    if not isinstance(values, Rows) or values.last:
        raise run.refused(f"a count of what is in {described(values)}")
    return tally(run, (values,), python=True)


def tuples_in(values: Any) -> tuple[Rows, ...] | None:
    """Return the columns of a list of tuples of several parts, None for anything else."""
    if not isinstance(values, Parts) or values.of != "tuple" or len(values.columns) < 2:
        return None
    columns = tuple(values.columns.values())
    return columns if all(isinstance(part, Rows) for part in columns) else None


def of_label(run: Run, of: Tally, label: Any) -> Any:
    """Return what the records of one label come to, 0 where none has it."""
    label = decided(run, label)
    parts = (label,) if len(of.labels) == 1 else label
    if not isinstance(parts, tuple) or len(parts) != len(of.labels):
        raise run.refused("a label that is not known, or of another type")
    flags: Any = None
    for one, part in zip(of.labels, parts, strict=True):
        kind = _LABELS[one.dtype]
        if type(part) is not kind and not (kind is Number and type(part) is int):
            raise run.refused("a label that is not known, or of another type")
        rows = Rows(one.view, one.lanes, one.dtype)
        same = elementwise(run, "eq", lambda x, part=part: compared(run, "eq", x, part), rows)
        if flags is not None:
            same = elementwise(run, "and_", lambda x, y: binary(run, "and_", x, y), flags, same)
        flags = same
    if of.different is not None:
        return how_many(run, Series(within(of.different, chosen(run, of.different, flags))))
    if of.added is None:
        return summed(run, flags)[()]
    kept = within(of.added, chosen(run, of.added, flags))
    return means.mean(run, kept) if of.mean else total(run, Series(kept))


def reindexed(run: Run, of: Tally, labels: Any, fill: Any) -> Labelled:
    """Return what the records of each of some known labels come to."""
    every = list(labels.cells.flat) if isinstance(labels, Arr) else labels
    if not isinstance(every, list | tuple | range) or not 0 < len(every) <= _MOST_LABELS:
        raise run.refused("labels that are not known")
    known = tuple(every)
    if len(set(known)) < len(known):
        raise run.refused("labels of which two are the same")
    missing = fill is None
    zero = isinstance(fill, int | Number) and not isinstance(fill, bool)
    if not missing and not (zero and number(fill).sign() == 0):
        raise run.refused("another number than 0 for labels that do not occur")
    cells = np.empty(len(known), dtype=object)
    for at, label in enumerate(known):
        cells[at] = of_label(run, of, label)
    dtype = of.dtype
    if dtype == "int" and type(fill) is not int:  # floats where a label does not occur
        cells, dtype = mapped(lambda x: unary(run, "float", x), cells), "float"
        run.untyped = True
    return Labelled(known, Arr(cells, dtype), missing)


def called_on(
    run: Run, name: str, args: list[Any], named: dict[str, Any], call: Call
) -> tuple[Any] | None:
    """Return what a function of a tally or of labelled numbers returns; None for other calls."""
    if args and isinstance(args[0], Tally):
        return (_of_tally(run, name, args, named),)
    if args and isinstance(args[0], Frame) and name in _EACH_COLUMN:
        return (_each_column(run, name, args, named, call),)
    if name in _LABELS_STAY and any(type(v) is Arr and not is_shared(v) for v in args):
        args = [with_places(run, value) if type(value) is Series else value for value in args]
    if any(isinstance(value, Labelled) for value in args):
        return _of_labelled(run, name, args, named, call)
    if args and isinstance(args[0], Grouped) and name in _OF_GROUPS:
        return (_of_tally(run, name, [args[0].of, *args[1:]], named),)
    if args and type(args[0]) is Series and name == "method.reindex":
        raise run.refused(
            "`reindex` of numbers whose labels are not followed (those of value_counts(), and of "
            "sums and counts of groups, are, if `reindex` comes first)"
        )
    return None


def with_places(run: Run, of: Series) -> Series | Labelled:
    """Return a series of public length as numbers of known labels, where one is replaced.

    All records have the numbers from 0 as their labels.
    """
    numbers = of.rows.dtype in ("int", "float") and not of.rows.rest
    if not numbers or not positional_records.is_placed(run, of.rows.view):
        return of
    values = positional_records.by_place(run, of.rows)
    return labelled(run, range(len(values.cells)), values)


def _each_column(
    run: Run, name: str, args: list[Any], named: dict[str, Any], call: Call
) -> Frame | Labelled:
    """Return what a function does with each column of a frame: a column, or a number."""
    table, others = args[0].table, args[1:]
    validate_rows(run, args[0])
    if table.hidden or not table.columns or (others and name in _NUMBERS):
        raise run.refused(f"{name.partition('.')[2]} of a frame")
    found = {at: call(name, [Series(rows), *others], named) for at, rows in table.columns.items()}
    if name not in _NUMBERS:
        return Frame(Table(table.view, {at: each.rows for at, each in found.items()}))
    return labelled(run, tuple(found), asarray(run, list(found.values())))


def _of_tally(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    of, others = args[0], args[1:]
    if name == "method.sort_index" and of.categories and not others and not named:
        return reindexed(run, of, of.categories, 0)
    if name == "method.reindex" and not of.python:
        given = dict(zip(("index",), others, strict=False)) | named
        if set(given) <= {"index", "fill_value"} and "index" in given and len(others) < 2:
            return reindexed(run, of, given["index"], given.get("fill_value"))
    if name == "method.get" and len(others) == 2 and not named:
        default = others[1]
        kinds: Any = int if of.dtype == "int" else int | Number  # which number, no more, is told
        if isinstance(default, kinds) and default is not False and number(default).sign() == 0:
            found = of_label(run, of, others[0])
            return found if of.python else apart.mark(run, found)  # the default is of Python
    if name in ("method.to_dict", "builtins.dict") and not others and not named:
        return replace(of, python=False)
    if name == "builtins.len" and not others and len(of.labels) == 1 and not of.categories:
        return Distinct(of.labels[0]).length()
    counted = of.added is None and of.different is None
    if name in ("method.sum", "method.total") and not others and not named and counted:
        return of.labels[0].view.length()
    if name == "method.reindex":
        raise run.refused("labels that are not known")
    raise run.refused("which values occur in the data", violation="DPA109")


def entry(run: Run, of: Tally | Labelled, at: Any) -> Any:
    """Return the number of a label."""
    if isinstance(of, Tally):
        if not of.python and at not in of.categories:
            raise run.refused("a label that may not occur")
        return of_label(run, of, at)
    if of.missing:
        raise run.refused("a number that is missing where a label does not occur")
    if type(at) in (str, int) or keyed.is_key(at):
        if at not in of.labels:
            raise run.refused("a label that is none of these")
        return of.values.cells[of.labels.index(at)]
    entries = [shown(run, each) for each in of.values.cells]
    if is_shared(at) and all(map(is_shared, entries)):
        return Unknown(of.values.dtype)  # type: ignore[arg-type]
    raise run.refused("the number of a label that is not known")


def _of_labelled(
    run: Run, name: str, args: list[Any], named: dict[str, Any], call: Call
) -> tuple[Any] | None:
    holders = [value for value in args if isinstance(value, Labelled)]
    if holders[0].missing:
        return (_filled(run, name, args, named),)
    if any(each.labels != holders[0].labels or each.missing for each in holders):
        raise run.refused("numbers of different labels")
    plain = [value.values if isinstance(value, Labelled) else value for value in args]
    if name in _LABELS_STAY:
        return (_again(run, holders[0], call(_RESPELLED.get(name, name), plain, named)),)
    if name in _OF_VALUES:
        return (call(name, plain, named),)
    if not isinstance(args[0], Labelled):
        return None  # a list that it is put into holds it with its labels
    return (_itself(run, name, args[0], args[1:], named, call),)


def _filled(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> Labelled:
    """Return ``fillna(0)`` of numbers that are missing where a label does not occur."""
    of, others = args[0], args[1:]
    zero = len(others) == 1 and isinstance(others[0], int | Number) and not named
    if name == "method.fillna" and zero and number(others[0]).sign() == 0:
        return Labelled(of.labels, of.values)
    raise run.refused("numbers that are missing where a label does not occur")


def _itself(
    run: Run, name: str, of: Labelled, others: list[Any], named: dict[str, Any], call: Call
) -> Any:
    """Return what is asked of labelled numbers, their labels or all of their values."""
    pairs = list(zip(of.labels, of.values.cells, strict=True))
    if name in _LISTS and not others:
        return list(of.values.cells)
    if name in _VIEWS and not others:
        return _fixed(call("numpy.array", [of.values], named))
    if name in ("method.to_dict", "builtins.dict") and not others:
        return dict(pairs)
    if name == "method.items":
        return pairs
    if name in ("attribute.index", "method.keys"):
        return list(of.labels)
    titled = name in _RENAMED and not named and len(others) == 1 and type(others[0]) is str
    if titled or (name in _ITSELF and not others and not named):
        return of
    if name == "method.fillna":
        return of
    if name in ("builtins.len", "attribute.size"):
        return len(of.labels)
    if name == "attribute.shape":
        return (len(of.labels),)
    if name == "method.get" and len(others) in (1, 2) and type(others[0]) in (str, int):
        return entry(run, of, others[0]) if others[0] in of.labels else (*others, None)[1]
    if name in ("method.idxmax", "method.idxmin") and not others and not named:
        return _best(run, of, call(f"numpy.arg{name[-3:]}", [of.values], {}))
    raise run.refused(f"{name.partition('.')[2]} of a series")


def _fixed(values: Arr) -> Arr:
    """Return an array that nothing may change: pandas may hold it still."""
    cells = values.cells.copy()
    cells.setflags(write=False)
    return Arr(cells, values.dtype)


def _again(run: Run, of: Labelled, values: Any) -> Any:
    """Return numbers with the labels of others."""
    if isinstance(values, Shared):
        return values
    numbers = isinstance(values, Arr) and values.dtype in ("int", "float")
    if not numbers or values.cells.shape != of.values.cells.shape:
        raise run.refused("numbers that do not fit their labels")
    return replace(of, values=values)


def labelled(run: Run, labels: Any, values: Any) -> Labelled:
    """Return numbers with their labels, which are known and differ."""
    if not isinstance(values, Arr) or values.dtype not in ("int", "float"):
        raise run.refused("a series of what are no numbers")
    every = tuple(labels.cells.flat) if isinstance(labels, Arr) else tuple(labels)
    plain = all(type(label) in (str, int) for label in every)
    if not plain or len(set(every)) < len(every) or values.cells.shape != (len(every),):
        raise run.refused("numbers that do not fit their labels")
    return Labelled(every, values)


def product(run: Run, several: Any, **named: Any) -> FixedList:
    """Return ``pandas.MultiIndex.from_product(labels)``."""
    if not isinstance(several, list | tuple) or set(named) - {"names"}:
        raise run.refused("labels of this kind")
    every = [list(each.cells.flat) if isinstance(each, Arr) else each for each in several]
    if not all(isinstance(each, list | tuple | range) for each in every):
        raise run.refused("labels that are not known")
    return FixedList(itertools.product(*every))


def index(run: Run, labels: Any, **named: Any) -> Arr:
    """Return ``pandas.Index(labels)``, of which operators are those of an array."""
    every = list(labels.cells.flat) if isinstance(labels, Arr) else labels
    if not isinstance(every, list | tuple | range) or set(named) - {"name"}:
        raise run.refused("labels that are not known")
    kinds = {type(label) for label in every}
    if kinds not in ({str}, {int}):
        raise run.refused("labels of this kind")
    cells = np.empty(len(every), dtype=object)
    cells[:] = list(every)
    return _fixed(Arr(cells, kinds.pop().__name__))


def index_of_tuples(run: Run, labels: Any, **named: Any) -> FixedList:
    """Return ``pandas.MultiIndex.from_tuples(labels)``."""
    if not isinstance(labels, list | tuple) or set(named) - {"names"}:
        raise run.refused("labels that are not known")
    plain = all(type(part) in (str, int) for each in labels for part in each)
    if not plain or not all(isinstance(each, tuple) for each in labels):
        raise run.refused("labels of this kind")
    return FixedList(labels)


def series(run: Run, data: Any, index: Any = None, **named: Any) -> Labelled | Series:
    """Return ``pandas.Series(numbers, labels)``; an array that it is made from changes no more."""
    if index is None and not set(named) - {"name"}:
        if isinstance(data, Series):  # of categories it may be an array
            return data if data.rows.categories is None else of_arrays(data)
        if isinstance(data, Rows) and not data.rest and not data.listed:
            return of_arrays(Series(data))
    if set(named) - {"name"} or not isinstance(data, list | tuple | dict | Arr):
        raise run.refused(f"a series of {described(data)}")
    if isinstance(data, dict):
        if index is not None:
            raise run.refused("the entries of a dict in the order of labels")
        data, index = list(data.values()), list(data)
    values = asarray(run, data) if not isinstance(data, Arr) else data
    if index is None:
        index = range(len(values.cells)) if values.cells.ndim else ()
    if not isinstance(index, list | tuple | range | Arr):
        raise run.refused("labels that are not known")
    if isinstance(data, Arr):
        run.held.append(data.cells)
    return labelled(run, index, values)


def _best(run: Run, of: Labelled, at: Any) -> Any:
    """Return the label of the largest number."""
    from dpaudit.checker.cost.indexing import any_of

    if type(at) is int:
        return of.labels[at]
    if isinstance(at, Unknown) and at.shared:
        texts = all(type(label) is str for label in of.labels)
        return any_of(run, list(of.labels)) if texts else SHARED
    raise run.refused("the label of the largest private value")
