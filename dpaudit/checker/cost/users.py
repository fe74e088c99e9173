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
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost import frames, groups
from dpaudit.checker.cost.frames import Frame, Series
from dpaudit.checker.cost.record_columns import Rows, Table
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

    of: Frame | Series | Rows


def plain(value: Any) -> Any:
    """Return what is known of any row of users, anything else as it is."""
    return value.of if isinstance(value, OfUsers) else value


def called_on(
    run: Run, name: str, args: list[Any], named: dict[str, Any], call: Call
) -> tuple[Any] | None:
    """Return what a function of rows of users returns; None for other calls."""
    if not any(isinstance(value, OfUsers) for value in (*args, *named.values())):
        return None
    if run.lane is not None:
        raise run.refused("rows of users inside of a loop over records")
    of, others = plain(args[0]) if args else None, args[1:]
    if name == "method.groupby" and isinstance(of, Frame | Series):
        return (groups.of_users(run, of, *map(plain, others), **named),)
    if name == "method.drop_duplicates" and isinstance(of, Frame):
        return (_one_of_each(run, of, *others, **named),)
    if isinstance(of, Series) and of.rows.unit is not None and not others and not named:
        if name in _DIFFERENT:
            return (call(name, [_users(run, of)], {}),)
        if name == "method.value_counts":
            return (groups.aggregate(run, groups.of_users(run, of, of), "size"),)
    if name in _NAMES and isinstance(of, Frame) and not named:
        return (call(name, [of, *others], {}),)
    word = name.removeprefix("attribute.")
    column = isinstance(of, Frame) and word != name and word in of.table.columns
    renumbered = name == "method.reset_index" and named == {"drop": True}
    if name in _BY_ROW or name in _OPERATORS or renumbered or column:
        given = {key: plain(value) for key, value in named.items()}
        return (_wrapped(run, name, call(name, list(map(plain, args)), given)),)
    raise refused(run, name)


def refused(run: Run, name: str) -> Exception:
    """Return what refuses a function of rows that nothing bounds."""
    what = f"{in_words(name)} of rows of which a user has any number"
    return run.refused(f"{what}; bound what a user adds first, or state `rows_per_unit`")


def _wrapped(run: Run, name: str, value: Any) -> OfUsers:
    if type(value) not in (Frame, Series, Rows):
        raise refused(run, name)
    return OfUsers(value)


def entry(run: Run, of: OfUsers, at: Any) -> OfUsers:
    """Return a column, several, or the rows for which a column of truth values is true."""
    at = plain(at)
    if run.lane is not None or isinstance(of.of, Rows) or not isinstance(at, str | list | Series):
        raise refused(run, "operator.getitem")
    return OfUsers(frames.entry(run, of.of, at))


def store(run: Run, of: OfUsers, at: Any, value: Any) -> None:
    """Put a column into a frame, which all names of that frame see."""
    if run.lane is not None or not isinstance(of.of, Frame) or not isinstance(value, OfUsers):
        raise refused(run, "operator.setitem")
    frames.store(run, of.of, at, value.of)


def _one_of_each(
    run: Run, of: Frame, subset: Any = None, *, keep: Any = "first", ignore_index: Any = False
) -> Frame:
    """Return ``frame.drop_duplicates(user)``: one row of each user, the first or the last."""
    name = subset[0] if isinstance(subset, list | tuple) and len(subset) == 1 else subset
    if not isinstance(name, str) or keep not in ("first", "last") or type(ignore_index) is not bool:
        raise refused(run, "method.drop_duplicates")
    return groups.first_rows(run, groups.of_users(run, of, name), 1)


def _users(run: Run, of: Series) -> Series:
    """Return the column that names the users, with one row of each."""
    table = Table(of.rows.view, {"": of.rows})
    one = groups.first_rows(run, groups.of_users(run, Frame(table), ""), 1)
    return Series(one.table.columns[""])
