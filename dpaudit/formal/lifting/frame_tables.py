"""Frame tables: cross tables, capped groups and conversions of pandas, in words that are proved.

A table of two keys that is asked for by known labels is a frame of one column a label, and that
column counts, or adds up, the rows with this label by the other key. ``frame[frame.groupby("u")
.cumcount() < k]`` is ``frame.groupby("u").head(k)``. What is written twice is a function of
variables alone. A table that a statement makes, and that the next one alone reads, is filled in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.rewriting import call, same
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Comprehension,
    Constant,
    Expression,
    For,
    Function,
    Mapping,
    Name,
    Place,
    Sequence,
    Statement,
    Subscript,
)

Block = tuple[Statement, ...]
_ADDED = ("sum", "mean", "count")
_COUNTS = tuple(f"method.{word}" for word in ("value_counts", "size", "count", "nunique"))
_MOST_COLUMNS = 64


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of two keys.

    Attributes
    ----------
    column : callable
        What gives the series of one column, by the label of the column.
    counts : bool
        Whether it holds numbers of rows, which are whole.
    filled : bool
        Whether 0 stands where no row has both labels.
    """

    column: Callable[[Expression], Expression]
    counts: bool
    filled: bool


def respelled(node: Any) -> Expression | None:
    """Return what an expression of frames stands for, None where it is left as it is."""
    match node:
        case Call(function="method.reindex"):
            return _asked(node, node) or _labels_first(node)
        case Call(function="method.fillna", arguments=(Call() as of, fill), keywords=()):
            return _asked(of, node) if _is_zero(fill) else None
        case Call(
            function="method.astype",
            arguments=(
                Call(function="method.fillna", arguments=(Call() as of, fill), keywords=()),
                Constant(value=to),
            ),
            keywords=(),
        ) if _is_zero(fill) and (to is int or to in ("int", "int64")):
            return _counted(of) or _asked(of, node)
        case Call(
            function="pandas.to_numeric",
            arguments=(of,),
            keywords=() | (("errors", Constant(value="raise" | "coerce")),),
        ):
            return _of_numbers(node.place, of)
        case Call(
            function="method.join",
            arguments=(
                frame,
                Call(
                    function="method.set_index", arguments=(table, Constant() as key), keywords=()
                ),
            ),
            keywords=(("on", Constant() as on),),
        ) if same(key, on):
            by = (("on", on), ("how", Constant(node.place, "left")))
            return replace(call(node.place, "method.merge", frame, table), keywords=by)
        case Subscript():
            return _first_rows(node)
        case Choice():
            return _of_label(node)
    return None


def _of_numbers(place: Place, of: Expression) -> Expression:
    """Return a series of numbers as what is refused of anything else.

    Arrays, which stay the arrays that they are, have no method `mul`; `clip` is that of numbers.
    """
    none = Constant(place, None)
    numbers = call(place, "method.clip", of, none, none)
    return call(place, "method.mul", numbers, Constant(place, 1))


def _is_zero(node: Expression) -> bool:
    return isinstance(node, Constant) and type(node.value) in (int, float) and node.value == 0


def _text(node: Any) -> str | None:
    return node.value if isinstance(node, Constant) and isinstance(node.value, str) else None


def _counted(of: Call) -> Expression | None:
    """Return ``counts.reindex(labels, fill_value=0)`` for whole numbers that are missing."""
    match of:
        case Call(function="method.reindex", arguments=(counts, _), keywords=()):
            if isinstance(counts, Call) and counts.function in _COUNTS and not counts.keywords:
                zero = Constant(of.place, 0)
                return replace(of, keywords=(("fill_value", zero),))
    return None


def _labels_first(node: Call) -> Expression | None:
    """Return ``x.reindex(labels, fill_value=0).clip(...)`` for ``x.clip(...).reindex(...)``.

    The range holds 0, which the labels have that do not occur.
    """
    match node:
        case Call(
            arguments=(Call(function="method.clip") as of, *labels),
            keywords=(*_, ("fill_value", fill)) as keywords,
        ) if _is_zero(fill):
            given = dict(zip(("lower", "upper"), of.arguments[1:], strict=False))
            given |= dict(of.keywords)
            ends = [given.pop(name, None) for name in ("lower", "upper")]
            known: list[Any] = [getattr(end, "value", None) for end in ends]
            numbers = [type(n) in (int, float) for n in known]
            outside = (numbers[0] and known[0] > 0) or (numbers[1] and known[1] < 0)
            named = all(ok or end is None for ok, end in zip(numbers, ends, strict=True))
            if given or outside or not named:
                return None
            asked = Call(node.place, "method.reindex", (of.arguments[0], *labels), keywords)
            return replace(of, arguments=(asked, *of.arguments[1:]))
    return None


def _first_rows(node: Subscript) -> Expression | None:
    """Return ``frame.groupby(key).head(k)`` for the rows of which fewer than k come before."""
    match node.index:
        case Call(
            function="operator.lt",
            arguments=(
                Call(function="method.cumcount", arguments=(Call() as groups,), keywords=()),
                Constant(value=int()) | Name() as most,
            ),
        ):
            of = groups.arguments[0] if groups.function == "method.groupby" else None
            if same(of, node.value) and is_pure(node.value):
                return call(node.place, "method.head", groups, most)
    return None


def _of_label(node: Choice) -> Expression | None:
    """Return ``of.get(label, 0)`` for ``of[label] if label in of.index else 0``."""
    match node:
        case Choice(
            test=Call(function="operator.contains", arguments=(Attribute() as index, label)),
            yes=Subscript(value=of, index=at),
            no=no,
        ):
            of = of.value if isinstance(of, Attribute) and of.name == "loc" else of
            known = index.name == "index" and isinstance(of, Name) and same(index.value, of)
            if known and same(label, at) and isinstance(label, Name | Constant) and _is_zero(no):
                return call(node.place, "method.get", of, label, no)
    return None


# --- tables of two keys


def _asked(of: Call, whole: Call) -> Expression | None:
    """Return a table of which the labels are given as the frame of its columns."""
    options: dict[str, Expression] = {}
    at = of
    while at.function == "method.reindex":
        given = dict(zip(("index",), at.arguments[1:], strict=False)) | dict(at.keywords)
        if not set(given) <= {"index", "columns", "fill_value"} or len(at.arguments) > 2:
            return None
        if options.keys() & given.keys() - {"fill_value"}:
            return None
        if not _is_zero(given.get("fill_value", Constant(of.place, 0))):
            return None
        options, inside = given | options, at.arguments[0]
        if not isinstance(inside, Call):
            return None
        at = inside
    if not {"index", "columns"} <= set(options) or not is_pure(options["index"]):
        return None
    table, filled = _table(at), "fill_value" in options
    if table is None or filled is not (whole is of) or (filled and not _all_filled(of)):
        return None
    whole_numbers = whole.function == "method.astype"
    if (filled and not (table.filled and table.counts)) or (whole_numbers and not table.counts):
        return None
    return _frame(whole.place, table, options, filled=filled or whole_numbers)


def _all_filled(of: Expression) -> bool:
    """Return whether 0 is put in at each step, a whole number."""
    while isinstance(of, Call) and of.function == "method.reindex":
        fill = dict(of.keywords).get("fill_value")
        if not isinstance(fill, Constant) or type(fill.value) is not int:
            return False
        of = of.arguments[0]
    return True


def _frame(
    place: Place, table: _Table, options: dict[str, Expression], *, filled: bool
) -> Expression | None:
    labels = options["columns"]
    among = labels.items if isinstance(labels, Sequence) else getattr(labels, "value", None)
    if not isinstance(among, tuple | list) or not 0 < len(among) <= _MOST_COLUMNS:
        return None
    keys = [each if isinstance(each, Constant) else Constant(place, each) for each in among]
    if not all(type(key.value) is str for key in keys):
        return None
    zero, columns = Constant(place, 0), []
    for key in keys:
        column = call(place, "method.reindex", table.column(key), options["index"])
        if filled:
            column = replace(column, keywords=(("fill_value", zero),))
        else:
            column = call(place, "method.fillna", column, zero)
        columns.append((key, column))
    return call(place, "pandas.DataFrame", Mapping(place, tuple(columns)))


def _table(node: Expression) -> _Table | None:
    """Return what a table of two keys is, None of anything else."""
    match node:
        case Call(function="pandas.crosstab", arguments=(rows, columns), keywords=()):
            if not (is_pure(rows) and is_pure(columns)):
                return None
            return _Table(lambda key: _counts(rows, columns, key), counts=True, filled=True)
        case Call(function="method.unstack", arguments=(of,), keywords=keywords):
            known = not keywords or (keywords[0][0] == "fill_value" and _is_zero(keywords[0][1]))
            found = _of_two_keys(of) if known and len(keywords) < 2 else None
            return None if found is None else replace(found, filled=bool(keywords))
        case Call(function="method.pivot_table" | "pandas.pivot_table", arguments=(frame, *rest)):
            return _pivot(frame, dict(zip(("values", "index", "columns", "aggfunc"), rest,
                                          strict=False)) | dict(node.keywords))  # fmt: skip
    return None


def _column(frame: Expression, name: Expression) -> Expression:
    return Subscript(frame.place, frame, name)


def _counts(rows: Expression, columns: Expression, key: Expression) -> Expression:
    """Return how many rows each label has, of those with one label in another column."""
    these = call(rows.place, "operator.eq", columns, key)
    return call(rows.place, "method.value_counts", Subscript(rows.place, rows, these))


def _of_two_keys(of: Expression) -> _Table | None:
    """Return the table of ``frame.groupby([a, b]).size()``, of a sum or of a mean."""
    match of:
        case Call(function="method.size", arguments=(groups,), keywords=()):
            found = _keys(groups)
            return None if found is None else _sizes(*found)
        case Call(
            function="method.sum" | "method.mean" | "method.count" as function,
            arguments=(Subscript(value=groups, index=Constant() as values),),
            keywords=(),
        ):
            found = _keys(groups)
            word = str(function).removeprefix("method.")
            return None if found is None else _amounts(*found, values, word)
    return None


def _keys(groups: Expression) -> tuple[Expression, Expression, Expression] | None:
    match groups:
        case Call(
            function="method.groupby",
            arguments=(frame, Sequence(kind="list", items=(rows, columns))),
            keywords=(),
        ):
            plain = _text(rows) is not None and _text(columns) is not None
            return (frame, rows, columns) if plain and is_pure(frame) else None
    return None


def _sizes(frame: Expression, rows: Expression, columns: Expression) -> _Table:
    by = _column(frame, rows), _column(frame, columns)
    return _Table(lambda key: _counts(*by, key), counts=True, filled=False)


def _amounts(
    frame: Expression, rows: Expression, columns: Expression, values: Expression, word: str
) -> _Table:
    def column(key: Expression) -> Expression:
        these = call(frame.place, "operator.eq", _column(frame, columns), key)
        part = Subscript(frame.place, frame, these)
        groups = call(frame.place, "method.groupby", part, rows)
        return call(frame.place, f"method.{word}", _column(groups, values))

    return _Table(column, counts=word == "count", filled=False)


def _pivot(frame: Expression, given: dict[str, Expression]) -> _Table | None:
    """Return the table of ``frame.pivot_table(...)``, which has means unless told otherwise."""
    how = _text(given.get("aggfunc", Constant(frame.place, "mean")))
    names = [given.get(name) for name in ("index", "columns", "values")]
    fill = given.get("fill_value")
    known = set(given) <= {"index", "columns", "values", "aggfunc", "fill_value"}
    if not known or how not in _ADDED or not is_pure(frame) or any(map(_is_no_text, names)):
        return None
    if fill is not None and not _is_zero(fill):
        return None
    rows, columns, values = names
    if same(rows, values) or same(columns, values):  # these tables pandas does not always make
        return None
    found = _amounts(frame, rows, columns, values, how)  # type: ignore[arg-type]
    return replace(found, filled=fill is not None)


def _is_no_text(node: Any) -> bool:
    return _text(node) is None


# --- statements


def filled_in(body: Block) -> Block:
    """Return a body in which a table is where the next statement, which alone reads it, does.

    Parameters
    ----------
    body : tuple of Statement
    """
    read, stored = rewriting.reads(*body), rewriting.stores(*body)

    def joined(block: Block) -> Block:
        found: list[Statement] = []
        for each in block:
            plain = isinstance(each, Branch | For)
            whole: Any = rewriting.with_blocks(each, joined) if plain else each
            before = found[-1] if found else None
            if isinstance(before, Assign) and isinstance(before.target, Name):
                name = before.target.id
                value = rewriting.value_of(whole)
                again = isinstance(whole, Assign) and same(whole.target, before.target)
                alone = stored[name] == 1 and read[name] == 2
                moved = value is not None and _is_read_there(name, value, before.value)
                moved = moved and (again or alone) and _is_table(before.value)
                if moved and value is not None and changes_nothing(value):
                    found.pop()
                    whole = replace(whole, value=rewriting.filled(value, {name: before.value}))
            found.append(whole)
        return tuple(found)

    return joined(body)


def _is_read_there(name: str, value: Expression, table: Expression) -> bool:
    """Return whether a statement reads a variable once, where the table means what it meant."""
    parts = list(rewriting.inner(value))
    within = any(
        isinstance(part, Function | Comprehension) and rewriting.reads(part)[name] for part in parts
    )
    captured = rewriting.reads(table).keys() & rewriting.stores(value).keys()
    return rewriting.reads(value)[name] == 1 and not (within or captured)


def _is_table(node: Expression) -> bool:
    """Return whether an expression is a table of two keys, or one that labels were asked of."""
    while isinstance(node, Call) and node.function == "method.reindex":
        node = node.arguments[0]
    return _table(node) is not None
