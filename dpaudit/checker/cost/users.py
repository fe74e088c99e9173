"""Rows of users, of whom each has any number: what they may be used for before that is bounded.

D' has all rows of one user more than D, in any number and anywhere among the others. What is known
is what any row may hold. Nothing can be summed or counted before the rows of each user come to
something that is bounded; so nothing is done with such a frame but what gives each row values of
its own, or leaves out rows by these. All of it keeps what is known: the others' rows stay what they
are, in their order.

Then ``groupby(user)`` brings them to one record a user, of whom one comes, or none where no row of
that user is left; ``groupby(user).head(k)`` keeps at most k of the rows, ``drop_duplicates(user)``
one. The different users are as many as such records. What comes out has records that changed, and
is followed as all records are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.checker.cost import frames, groups
from dpaudit.checker.cost.frames import Frame, Series
from dpaudit.checker.cost.record_columns import Rows, Table, chosen, within
from dpaudit.checker.cost.run import Run
from dpaudit.checker.wording import in_words

Call = Callable[[str, list[Any], dict[str, Any]], Any]
_BY_ROW_WORDS = """
method.abs method.assign method.astype method.clip method.copy method.drop method.dropna method.eq
method.fillna method.ge method.gt method.isin method.isna method.le method.lt method.mask method.ne
method.notna method.rename method.select_dtypes method.where numpy.absolute numpy.clip
numpy.maximum numpy.minimum numpy.where pandas.isna pandas.notna
"""
_BY_ROW = frozenset(_BY_ROW_WORDS.split())
_OPERATORS_WORDS = "add sub mul truediv floordiv mod neg abs lt le gt ge eq ne and_ or_ invert"
_OPERATORS = frozenset(f"operator.{word}" for word in _OPERATORS_WORDS.split())
_DIFFERENT = ("method.nunique", "method.unique", "builtins.set", "numpy.unique")
_NAMES = ("attribute.columns", "method.keys", "builtins.list", "operator.contains")


@dataclass(frozen=True, slots=True, eq=False)
class OfUsers:
    """Rows of users, or a column of them, of which `of` tells any row's values and no changes."""

    of: Frame | Series | Rows | Table


@dataclass(frozen=True, slots=True, eq=False)
class ByOther:
    """Rows of users by another key, of whom each is counted once for each key.

    `chosen` is the name of a column that was chosen, and the column as it was then.
    """

    of: Frame
    by: tuple[str, Rows]
    options: dict[str, Any]
    chosen: tuple[str, Rows] | None = None


def plain(value: Any) -> Any:
    """Return what is known of any row of users, anything else as it is."""
    return value.of if isinstance(value, OfUsers) else value


def called_on(
    run: Run, name: str, args: list[Any], named: dict[str, Any], call: Call
) -> tuple[Any] | None:
    """Return what a function of rows of users returns; None for other calls."""
    if args and isinstance(args[0], ByOther):
        return (_of_other(run, name, *args, **named),)
    if not any(isinstance(value, OfUsers) for value in (*args, *named.values())):
        return None
    if run.lane is not None:
        raise run.refused("rows of users inside of a loop over records")
    of, others = plain(args[0]) if args else None, args[1:]
    if name == "method.groupby" and isinstance(of, Frame | Series):
        return (_grouped(run, of, *map(plain, others), **named),)
    if name == "method.drop_duplicates" and isinstance(of, Frame):
        return (_one_of_each(run, of, *others, **named),)
    if name == "method.sort_values" and isinstance(of, Frame):
        return (OfUsers(_in_order(run, of, *others, **named)),)
    column = of.rows if isinstance(of, Series) else of
    if isinstance(column, Rows) and column.unit is not None and not others and not named:
        if name in _DIFFERENT:
            once = _users(run, column)
            return (call(name, [once if column is of else Series(once)], {}),)
        if name == "method.value_counts" and isinstance(of, Series):
            return (groups.aggregate(run, groups.of_users(run, of, of), "size"),)
    if name in _NAMES and isinstance(of, Frame) and not named:
        return (call(name, [of, *others], {}),)
    word = name.removeprefix("attribute.")
    of_column = isinstance(of, Frame) and word != name and word in of.table.columns
    renumbered = name == "method.reset_index" and named == {"drop": True}
    framed = name == "pandas.DataFrame" and isinstance(of, Table)
    if name in _BY_ROW or name in _OPERATORS or renumbered or of_column or framed:
        given = {key: plain(value) for key, value in named.items()}
        return (_wrapped(run, name, call(name, list(map(plain, args)), given)),)
    raise refused(run, name)


def _of_other(run: Run, name: str, of: ByOther, *others: Any, **named: Any) -> Any:
    """Return ``frame.groupby(key)[user].nunique()``: the rows of each user and key are one."""
    if name != "method.nunique" or others or named or not of.chosen or of.chosen[1].unit is None:
        raise refused(run, name)
    both = Frame(Table(of.of.table.view, dict((of.by, of.chosen))))
    once = groups.different_rows(run, both, list(both.table.columns))
    each = groups.grouped(run, once, of.by[0], **of.options)
    return groups.aggregate(run, groups.entry(run, each, of.chosen[0]), "nunique")


def refused(run: Run, name: str) -> Exception:
    """Return what refuses a function of rows that nothing bounds."""
    what = f"{in_words(name)} of rows of which a user has any number"
    return run.refused(f"{what}; bound what a user adds first, or state `rows_per_unit`")


def _wrapped(run: Run, name: str, value: Any) -> OfUsers:
    if type(value) not in (Frame, Series, Rows, Table):
        raise refused(run, name)
    return OfUsers(value)


def entry(run: Run, of: OfUsers | ByOther, at: Any) -> OfUsers | ByOther:
    """Return a column, several, or the rows for which a column of truth values is true."""
    if isinstance(of, ByOther):
        if not isinstance(at, str) or of.chosen:
            raise refused(run, "operator.getitem")
        return replace(of, chosen=(at, of.of.table.columns[at]))
    at, held = plain(at), of.of
    if run.lane is not None:
        raise refused(run, "operator.getitem")
    if isinstance(held, Frame | Series) and isinstance(at, str | list | Series):
        return OfUsers(frames.entry(run, held, at))
    if isinstance(held, Table) and isinstance(at, str):
        return OfUsers(held.columns[at])
    if isinstance(held, Table) and isinstance(at, Rows):
        columns = held.columns
        view = chosen(run, next(iter(columns.values())), at)
        return OfUsers(Table(view, {name: within(rows, view) for name, rows in columns.items()}))
    raise refused(run, "operator.getitem")


def store(run: Run, of: OfUsers, at: Any, value: Any) -> None:
    """Put a column into a frame, which all names of that frame see."""
    if run.lane is not None or not isinstance(of.of, Frame) or not isinstance(value, OfUsers):
        raise refused(run, "operator.setitem")
    frames.store(run, of.of, at, value.of)


def _grouped(run: Run, of: Frame | Series, by: Any = None, **options: Any) -> Any:
    """Return ``frame.groupby(user)``, or by another key, of which users may be counted."""
    name = by[0] if isinstance(by, list) and len(by) == 1 else by
    by = name if isinstance(name, str) else by
    if isinstance(of, Frame) and isinstance(by, str) and of.table.columns[by].unit is None:
        return ByOther(of, (by, of.table.columns[by]), options)
    return groups.of_users(run, of, by, **options)


def _one_of_each(
    run: Run, of: Frame, subset: Any = None, *, keep: Any = "first", ignore_index: Any = False
) -> Frame:
    """Return ``frame.drop_duplicates(user)``: a row of each user, or of each with other keys."""
    names = [subset] if isinstance(subset, str) else subset
    if names is None:
        names = frames.names_of(run, of)
    plain = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not plain or keep not in ("first", "last") or type(ignore_index) is not bool:
        raise refused(run, "method.drop_duplicates")
    if len(names) == 1:
        return groups.first_rows(run, groups.of_users(run, of, names[0]), 1)
    return groups.different_rows(run, of, list(names))


def _in_order(
    run: Run, of: Frame, by: Any = None, *, ascending: Any = True, kind: Any = "quicksort"
) -> Frame:
    """Return ``frame.sort_values([a, b])``, or of one key with ``kind="stable"``.

    The others' rows are in the same order with and without a user's, where the sort is stable. That
    by several keys is.
    """
    names = [by] if isinstance(by, str) else by
    plain = isinstance(names, list) and all(isinstance(name, str) for name in names)
    plain = plain and all(name in of.table.columns for name in names)
    upwards = ascending if isinstance(ascending, list) else [ascending]
    stable = plain and (len(names) > 1 or kind in ("stable", "mergesort"))
    if not stable or not all(type(each) is bool for each in upwards):
        raise run.refused("rows in an order in which equal ones may change places; use two keys")
    return frames.renumbered(of)


def _users(run: Run, of: Rows) -> Rows:
    """Return the column that names the users, with one row of each."""
    one = Frame(Table(of.view, {"": of}))
    return groups.first_rows(run, groups.of_users(run, one, ""), 1).table.columns[""]
