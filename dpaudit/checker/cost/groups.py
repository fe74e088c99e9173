"""Groups of a frame's rows by a key: what each comes to, and some rows of each.

Groups are records again: it is known what any of them may hold, and what those hold that the
records which changed come into. Which groups there are depends on the records, so that they are
followed as records are, and nobody may ask for the keys.

Where the key is the column of the unit of privacy, all rows that changed are those of one user, who
has no other rows: one group comes. Where that column is one of several keys, rows that changed
come into groups of their own. Else each of them may make a group, end one, or change one.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.checker.cost.arithmetic import within_range
from dpaudit.checker.cost.arrays import cell
from dpaudit.checker.cost.compare import found
from dpaudit.checker.cost.ends import INF, ONE, ZERO, End, end, is_finite, least, most, sign
from dpaudit.checker.cost.frames import Frame, Series, validate_rows
from dpaudit.checker.cost.labelled import Grouped, Labelled, Tally, reindexed, tally
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import ANY, Rows, Table, View, bounded, within
from dpaudit.checker.cost.records import Pick, Var
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.sheets import GroupedFrame
from dpaudit.checker.cost.values import Text, Unknown, kept_ends, unknown
from dpaudit.checker.wording import in_words
from dpaudit.extras import optional

_COUNTS = ("size", "count", "nunique")
_NUMBERS = ("sum", "mean", "median", "max", "min")
_ROWS = ("first", "last")
_TOLD = ("sum", "mean", *_COUNTS)  # by known keys too
_OF_ROWS = frozenset(
    f"method.{word}" for word in ("groupby", "value_counts", "drop_duplicates", "to_dict")
)
_MOST_KEYS = 8  # of which each user may have each, or not
_MOST_ROWS = 16  # that are kept of a user who has any number
_OPTIONS = ("sort", "observed", "group_keys", "as_index")


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The rows of a table by a key.

    Attributes
    ----------
    whole : Table
    table : Table
        Of the columns that are asked for.
    keys : mapping of str to Rows
    view : View
        The groups.
    members : mapping of int to (tuple of int or None)
        Which rows that changed are in a group, by its lane; None where others may be there too.
    most : End
        How many rows a group has at most.
    single : bool
        Whether one column was chosen.
    flat : bool
        Whether keys become columns.
    observed : bool
        Whether categories are left out that do not occur.
    told : bool
        Whether it is known which rows changed, so that those of a known key can be asked for.
    """

    whole: Table
    table: Table
    keys: Mapping[str, Rows]
    view: View
    members: Mapping[int, tuple[int, ...] | None]
    most: End
    single: bool = False
    flat: bool = False
    observed: bool = True
    told: bool = True


def called_on(run: Run, name: str, args: list[Any], named: dict[str, Any]) -> tuple[Any] | None:
    """Return what a function of groups returns, or one that makes groups; None for others."""
    of, word = args[0], name.partition(".")[2]
    if isinstance(of, Frame) and name in _OF_ROWS:
        validate_rows(run, of)
    if name == "method.groupby" and isinstance(of, Frame | Series):
        return (grouped(run, of, *args[1:], **named),)
    if name == "method.value_counts" and isinstance(of, Frame | Series) and not args[1:]:
        known = isinstance(of, Series) or (len(of.table.columns) > 1 and not of.table.hidden)
        if set(named) - {"sort"} or not known:
            raise run.refused("counts of this kind")
        columns = of.table.columns.values() if isinstance(of, Frame) else (of.rows,)
        found = tally(run, tuple(columns))
        ordered = named == {"sort": False} and len(found.categories) > 0
        return (reindexed(run, found, found.categories, 0) if ordered else found,)
    if name == "method.drop_duplicates" and isinstance(of, Frame):
        return (distinct_rows(run, of, *args[1:], **named),)
    if name == "method.to_dict" and isinstance(of, Frame) and args[1:] == ["records"] and not named:
        return (Parts(of.table.view, dict(of.table.columns)),)
    if not isinstance(of, Groups):
        return None
    _validate_unchanged(run, of)
    if name in ("builtins.len", "attribute.ngroups") and len(args) == 1:
        return (of.view.length(),)
    if name.startswith("attribute.") and word in of.table.columns and not _is_taken(word):
        return (entry(run, of, word),)
    if name in ("method.head", "method.tail") and len(args) == 2 and not named:
        return (first_rows(run, of, args[1]),)
    if name in ("method.agg", "method.aggregate"):
        return (_by_column(run, of, args[1:], named),)
    if word in (*_COUNTS, *_NUMBERS, *_ROWS) and len(args) == 1 and not named:
        return (aggregate(run, of, word),)
    raise run.refused(f"{in_words(name)} of groups")


def _validate_unchanged(run: Run, of: Groups) -> None:
    """Refuse groups of a frame of which a column was set since: they see it, but for one column."""
    now = of.whole.columns
    if not of.single and any(now.get(n) is not rows for n, rows in of.table.columns.items()):
        raise run.refused("groups of a frame of which a column was set since")


def _is_taken(name: str) -> bool:
    """Whether groups have an attribute of this name, which hides a column."""
    return hasattr(optional("pandas").core.groupby.DataFrameGroupBy, name)


def entry(run: Run, of: Groups, at: Any) -> Groups:
    """Return groups of one column, or of several."""
    names = [at] if isinstance(at, str) else at
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise run.refused("this index of groups")
    table = Table(of.table.view, {name: of.whole.columns[name] for name in names})
    return replace(of, table=table, single=isinstance(at, str))


def grouped(run: Run, of: Frame | Series, by: Any = None, **options: Any) -> Groups:
    """Return ``frame.groupby(by)``."""
    table, keys = _keyed(run, of, by, options)
    made = _groups(run, table.view, list(keys.values()))
    return _of_keys(table, keys, *made, options, single=isinstance(of, Series))


def of_users(run: Run, of: Frame | Series, by: Any = None, **options: Any) -> Groups:
    """Return ``frame.groupby(user)`` where a user comes with any number of rows.

    One group comes, or none where none of the rows is left.
    """
    table, keys = _keyed(run, of, by, options)
    if [key.unit is None for key in keys.values()] != [False]:
        raise run.refused("groups by another key than the user's, who has any number of rows")
    members: dict[int, tuple[int, ...] | None] = {1: None} if run.fork(2) == 0 else {}
    view = View((), tuple(members), None, INF)
    single = isinstance(of, Series)
    return replace(_of_keys(table, keys, view, members, options, single=single), told=False)


def _keyed(
    run: Run, of: Frame | Series, by: Any, options: dict[str, Any]
) -> tuple[Table, dict[str, Rows]]:
    """Return the columns that are grouped, and those by which they are."""
    if set(options) - set(_OPTIONS) or not all(type(v) is bool for v in options.values()):
        raise run.refused("groups of this kind")
    if isinstance(of, Series):
        if not isinstance(by, Series) or by.rows.view is not of.rows.view:
            raise run.refused("groups of a series by this")
        table, keys = Table(of.rows.view, {"": of.rows}), {"by": by.rows}
    else:
        names = [by] if isinstance(by, str) else by
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise run.refused("groups by this")
        table, keys = of.table, {name: of.table.columns[name] for name in names}
    for key in keys.values():
        if key.rest or key.dtype not in ("int", "str", "bool"):
            raise run.refused(f"groups by a {key.dtype}")
    return table, keys


def _of_keys(
    table: Table,
    keys: dict[str, Rows],
    view: View,
    members: dict[int, tuple[int, ...] | None],
    options: dict[str, Any],
    *,
    single: bool,
) -> Groups:
    others = {name: rows for name, rows in table.columns.items() if name not in keys}
    flat = options.get("as_index") is False
    held = Table(table.view, others, table.hidden)
    observed = options.get("observed", True)
    return Groups(table, held, keys, view, members, _largest(keys), single, flat, observed)


def _largest(keys: Mapping[str, Rows]) -> End:
    """Return how many rows of one group there are at most."""
    units = [key.unit for key in keys.values() if key.unit is not None]
    return end(min(units)) if units else INF


def _groups(
    run: Run, view: View, keys: list[Rows]
) -> tuple[View, dict[int, tuple[int, ...] | None]]:
    """Return the groups, and which of the rows that changed are in each that changed."""
    members: dict[int, tuple[int, ...] | None] = {}
    before: list[int] = []
    after: list[int] = []
    changed = [(i, before, after) for i in view.before] + [(i, after, before) for i in view.after]
    alone = len(view.before) <= 1 and len(view.after) <= 1
    if any(key.unit is not None for key in keys):
        if len(keys) == 1:
            if view.after:
                members[1] = view.after
                after.append(1)
            changed = []
        else:
            kept = [i for at, i in enumerate(view.after) if at == 0 or run.fork(2) == 0]
            members = {i: (i,) if alone else None for i in kept}
            after += kept
            changed = []
    for i, own, other in changed:
        lane = len(members) + 1
        own.append(lane)
        members[lane] = (i,) if alone else None
        if run.fork(2) == 1:  # a group of others too
            members[lane] = members[lane + 1] = None
            other.append(lane + 1)
    return View(tuple(before), tuple(after), None, INF), members


# --- what each group comes to


def aggregate(run: Run, of: Groups, how: str) -> Any:
    """Return one number, or one row's value, of each group."""
    if how == "size":
        sizes = _counted(of, how)
        return _by_label(run, of, sizes) if not of.flat else _framed(run, of, {"size": sizes}, {})
    if of.table.hidden:
        raise run.refused("columns of groups that are not known")
    columns = {name: _column(run, of, how, rows) for name, rows in of.table.columns.items()}
    if of.single and not of.flat:
        (made,), (rows,) = columns.values(), of.table.columns.values()
        told = how in _TOLD
        return _by_label(run, of, made, how, rows) if told else Series(made)
    return _framed(run, of, columns, {name: (name, how) for name in columns})


def _by_label(
    run: Run, of: Groups, made: Rows, how: str = "size", rows: Rows | None = None
) -> Series | Labelled:
    """Return one number of each group, which may be asked for by the group's keys."""
    if not of.told:
        return Series(made)
    found = _tally(run, of, how, rows)
    if found.categories and not of.observed:
        return reindexed(run, found, found.categories, 0)
    keys = tuple(replace(key, categories=None) for key in found.labels)
    return Grouped(made, replace(found, labels=keys))


def _tally(run: Run, of: Groups, how: str, rows: Rows | None) -> Tally:
    """Return what the records of each key come to, by a known key of which it is asked."""
    if how == "mean" and any(key.categories for key in of.keys.values()):
        raise run.refused("means of categories, which are missing where none occurs")
    added = rows if how in ("sum", "mean") else None
    different = rows if how == "nunique" else None
    keys = tuple(of.keys.values())
    return tally(run, keys, added, different=different, mean=how == "mean")


def _framed(
    run: Run, of: Groups, columns: dict[str, Rows], asked: Mapping[str, tuple[str, str]]
) -> Frame:
    keys = {name: _one_of(run, of, key) for name, key in of.keys.items()} if of.flat else {}
    if keys.keys() & columns.keys():
        raise run.refused("two columns of one name")
    made = Table(of.view, keys | columns)
    told = all(how in _TOLD for _, how in asked.values())
    if of.flat or not (told and of.told):
        return Frame(made)
    of_keys = {n: _tally(run, of, how, of.table.columns[c]) for n, (c, how) in asked.items()}
    return GroupedFrame(made, of_keys)


def _by_column(run: Run, of: Groups, args: list[Any], named: dict[str, Any]) -> Frame:
    """Return ``groups.agg({"column": "sum"})``, or with ``name=("column", "sum")``, or a list."""
    asked = dict(named)
    if len(args) == 1 and isinstance(args[0], dict) and not named:
        asked = {name: (name, how) for name, how in args[0].items()}
    elif of.single and len(args) == 1 and isinstance(args[0], list) and not named:
        (column,) = of.table.columns
        asked = {how: (column, how) for how in args[0]}
    elif args or not named:
        raise run.refused("an aggregate of this kind")
    columns = {}
    for name, pair in asked.items():
        plain = isinstance(pair, tuple) and len(pair) == 2 and all(type(p) is str for p in pair)
        if not plain or pair[1] not in (*_COUNTS, *_NUMBERS, *_ROWS):
            raise run.refused("an aggregate of this kind")
        columns[name] = _column(run, of, pair[1], of.table.columns[pair[0]])
    return _framed(run, of, columns, asked)


def _column(run: Run, of: Groups, how: str, rows: Rows) -> Rows:
    if rows.rest:
        raise run.refused(f"the {how} of groups of arrays")
    for values in rows.lanes.values():
        if rows.dtype != "str" and not unknown(_told(run, values[()])).regular:
            raise run.refused(f"the {how} of what may be missing or infinite")
    if how in _COUNTS:
        return _counted(of, how)
    if how in _ROWS:
        return _one_of(run, of, rows)
    return _numbers(run, of, how, rows)


def _told(run: Run, value: Any) -> Any:
    value = found(run, value)
    return value.snapshot() if isinstance(value, Var) else value


def _counted(of: Groups, how: str) -> Rows:
    """Return how many rows, or how many different values, each group has."""
    lanes = {ANY: cell(Unknown("int", ONE, of.most))}
    for lane, members in of.members.items():
        known = members is not None and (how != "nunique" or len(members) == 1)
        top = of.most if members is None else end(len(members))
        lanes[lane] = cell(len(members) if known else Var("int", ONE, top))  # type: ignore[arg-type]
    return Rows(of.view, lanes, "int")


def _one_of(run: Run, of: Groups, rows: Rows) -> Rows:
    """Return a row's value of each group."""
    lanes = {ANY: rows.lanes[ANY]}
    for lane, members in of.members.items():
        if members is None:
            lanes[lane] = cell(anything(run, rows))
        else:
            lanes[lane] = rows.lanes[members[run.fork(len(members))]]
    return Rows(of.view, lanes, rows.dtype, untyped=rows.untyped)


def anything(run: Run, rows: Rows) -> Any:
    """Return any value of a column, as one of a record that changed."""
    anyone = rows.lanes[ANY][()]
    if isinstance(anyone, Text):
        return Pick(anyone.words) if anyone.words else Text()
    if isinstance(anyone, str):
        return anyone
    if rows.dtype == "bool":
        return Pick((False, True))
    held = [unknown(_told(run, values[()])) for values in rows.lanes.values()]
    if rows.rest or rows.dtype not in ("int", "float") or not all(x.regular for x in held):
        raise run.refused("any value of this column")
    ends = least(x.low for x in held), most(x.high for x in held)
    return Var(rows.dtype, *ends, kept=frozenset.intersection(*map(kept_ends, held)))


def _numbers(run: Run, of: Groups, how: str, rows: Rows) -> Rows:
    """Return the sum, the mean, or an order statistic of each group."""
    if rows.dtype not in ("int", "float"):
        raise run.refused(f"the {how} of groups of {rows.dtype}")
    kind: Any = "float" if how in ("mean", "median") else rows.dtype
    each = {lane: bounded(run, values[()]) for lane, values in rows.lanes.items()}
    low, high = least(x.low for x in each.values()), most(x.high for x in each.values())
    if how == "sum":
        low, high = _times(low, of.most, sign(low) < 0), _times(high, of.most, sign(high) > 0)
        if not of.told:  # floats keep to the sign alone
            low, high = least((low, ZERO)), most((high, ZERO))
    within_range(run, Unknown(kind, low, high))
    lanes = {ANY: cell(Unknown(kind, low, high))}
    for lane, members in of.members.items():
        if members is not None and len(members) == 1 and kind == rows.dtype:
            lanes[lane] = rows.lanes[members[0]]
            continue
        ends = low, high
        if members is not None:
            inside = [each[i] for i in members]
            lows, highs = [x.low for x in inside], [x.high for x in inside]
            ends = (sum(lows), sum(highs)) if how == "sum" else (least(lows), most(highs))
        lanes[lane] = cell(Var(kind, *ends, kept=frozenset()))
    return Rows(of.view, lanes, kind)


def _times(at: End, count: End, grows: bool) -> End:
    """Return an end of a sum of one or more numbers."""
    if not grows:
        return at
    return at * count if is_finite(count) else (INF if sign(at) > 0 else -INF)


# --- some rows of each group


def first_rows(run: Run, of: Groups, count: Any) -> Frame:
    """Return so many rows of each user, the first or the last ones."""
    units = [key.unit for key in of.keys.values()]
    whole = not of.single and list(of.table.columns) == [
        n for n in of.whole.columns if n not in of.keys
    ]
    if len(units) != 1 or units[0] is None or type(count) is not int or count < 1 or not whole:
        raise run.refused("the first rows of groups that are not those of users")
    view = _first_view(run, of, count)
    columns = {}
    for name, rows in of.whole.columns.items():
        kept = within(rows, view) if of.told else _coming(run, rows, view)
        unit = None if kept.unit is None else min(kept.unit, count)
        columns[name] = replace(kept, unit=unit)
    return Frame(Table(view, columns, of.whole.hidden))


def _first_view(run: Run, of: Groups, count: int) -> View:
    """Return which rows that changed are among so many of the user who comes."""
    if of.told:
        inside = of.members.get(1) or ()
        several = list(itertools.combinations(inside, min(count, len(inside))))
        return View((), several[run.fork(len(several))], None, of.table.view.most)
    if count > _MOST_ROWS:
        raise run.refused(f"the first {count} rows of a user")
    rows = 1 + run.fork(count) if of.members else 0
    return View((), tuple(range(1, rows + 1)), None, INF)


def _coming(run: Run, rows: Rows, view: View) -> Rows:
    """Return a column with rows of the user who comes, which hold what any row may."""
    lanes = {ANY: rows.lanes[ANY], **{lane: cell(anything(run, rows)) for lane in view.changed}}
    return replace(rows, view=view, lanes=lanes)


def distinct_rows(
    run: Run, of: Frame, subset: Any = None, *, keep: Any = "first", ignore_index: Any = False
) -> Frame:
    """Return ``frame.drop_duplicates(...)``: one row of each group by some columns."""
    columns = of.table.columns
    names = list(columns) if subset is None else [subset] if isinstance(subset, str) else subset
    plain = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not plain or keep not in ("first", "last") or type(ignore_index) is not bool:
        raise run.refused("rows that are not repeated, of this kind")
    keys = [columns[name] for name in dict.fromkeys(names)]
    if not keys or any(key.rest for key in keys):
        raise run.refused("rows that are not repeated, by these columns")
    of_users = [key for key in keys if key.unit is not None]
    view = of.table.view
    if len(keys) > 1 and (of_users or len(keys) == len(columns)):
        return _some_rows(run, of)
    if not of_users and len(keys) == len(columns):
        return _some_rows(run, of)
    groups, members = _groups(run, view, keys)
    chosen = {lane: None if m is None else m[run.fork(len(m))] for lane, m in members.items()}
    kept = {}
    for name, rows in columns.items():
        lanes = {ANY: rows.lanes[ANY]}
        for lane, member in chosen.items():
            lanes[lane] = cell(anything(run, rows)) if member is None else rows.lanes[member]
        unit = 1 if rows in of_users else None
        kept[name] = Rows(groups, lanes, rows.dtype, unit=unit, untyped=rows.untyped)
    return Frame(Table(groups, kept, of.table.hidden))


def different_rows(run: Run, of: Frame, names: list[str]) -> Frame:
    """Return one row of each user and each value of other keys, of which the values are known.

    Of a user with any number of rows there is one, or none, for each of these.
    """
    columns = of.table.columns
    others = {n: _values(run, columns[n]) for n in dict.fromkeys(names) if columns[n].unit is None}
    if len(others) != len(set(names)) - 1 or not others:
        raise run.refused("rows that are not repeated, by these columns")
    every = list(itertools.islice(itertools.product(*others.values()), _MOST_KEYS + 1))
    if len(every) > _MOST_KEYS:
        raise run.refused(f"rows of a user with more than {_MOST_KEYS} keys")
    found = [labels for labels in every if run.fork(2) == 0]
    view = View((), tuple(range(1, len(found) + 1)), None, INF)
    kept = {}
    for name, rows in columns.items():
        if name in others:
            at = list(others).index(name)
            own = {lane: cell(found[lane - 1][at]) for lane in view.changed}
            kept[name] = replace(rows, view=view, lanes={ANY: rows.lanes[ANY], **own})
        else:
            unit = None if rows.unit is None else len(every)
            kept[name] = replace(_coming(run, rows, view), unit=unit)
    return Frame(Table(view, kept, of.table.hidden))


def _values(run: Run, rows: Rows) -> tuple[Any, ...]:
    """Return all that a column may hold."""
    anyone = rows.lanes[ANY][()]
    if isinstance(anyone, Text) and anyone.words:
        return anyone.words
    if isinstance(anyone, str):
        return (anyone,)
    if rows.dtype == "bool":
        return (False, True)
    raise run.refused("keys of which nobody knows how many a user has")


def _some_rows(run: Run, of: Frame) -> Frame:
    """Return a frame in which each row that changed is, or is not."""
    view = of.table.view
    kept = {i for i in view.changed if run.fork(2) == 0}
    inside = View(
        tuple(i for i in view.before if i in kept),
        tuple(i for i in view.after if i in kept),
        None,
        view.most,
    )
    columns = {name: within(rows, inside) for name, rows in of.table.columns.items()}
    return Frame(Table(inside, columns, of.table.hidden))
