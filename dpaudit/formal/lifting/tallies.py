"""Counts by key, written as the list of keys of which they are the counts.

`Counter`, ``value_counts``, ``groupby`` and a dict that a loop over records counts in all hold how
often each key occurs. The program keeps the keys instead: ``counts = Counter(data)`` becomes
``counts = list(data)``, ``counts[k]`` becomes ``counts.count(k)``, and so on. This is done where
every use of the variable asks for the count of a key that it names; who asks which keys there are
(``items``, ``most_common``, ``len``, a loop) gets them from the data, and nothing is rewritten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.trees import bound, rewritten
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Call,
    Comprehension,
    Constant,
    Expression,
    For,
    Name,
    Node,
    Place,
    Sequence,
    Statement,
    Subscript,
    Update,
    walk,
)

# What `Counter` counts: the items of an iterable that is no mapping, of which it takes the values.
LISTED = "iterable.listed"
SERIES_LISTED = "series.listed"  # of no frame


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts by key.

    Attributes
    ----------
    kept : Expression
        What the program holds instead.
    count : callable
        Returns the count of a key, given what is held.
    keys : Expression or None
        The public keys that it has, None where they come from the data.
    total : bool
        Whether a key that is missing counts 0, rather than to raise an error.
    series : bool
        Whether it is a series, of which ``to_numpy`` and ``values`` are the counts in order.
    """

    kept: Expression
    count: Callable[[Expression, Expression, Place], Expression]
    keys: Expression | None = None
    total: bool = False
    series: bool = False


# --- what counts by key


def _tally(value: Expression) -> Tally | None:
    """Return the counts by key that an expression makes."""
    match value:
        case Call(function="collections.Counter", arguments=(over,), keywords=()):
            kinds = ("list", "generator")
            known = not isinstance(over, Comprehension) or over.kind in kinds
            return _of_values(over, value.place) if known else None
        case Call(function="method.reindex", arguments=(series, keys)):
            inner = _tally(series)
            zero = number_of if _is_sum(series) else whole_of  # counts and 0.0 are of two types
            filled = [(name, zero(v)) for name, v in value.keywords] == [("fill_value", 0)]
            if inner is not None and inner.series and filled and is_pure(keys):
                return replace(inner, keys=keys, total=True)
        case Call(function="method.value_counts", arguments=(column,)):
            plain = all(name == "sort" for name, _ in value.keywords)
            if plain and is_pure(column):
                return _of_column(column, value.place)
        case Call(
            function="method.size" | "method.count" | "method.sum" | "method.nunique" as how,
            arguments=(of,),
        ):
            return _of_groups(of, str(how), value) if not value.keywords else None
    return None


def _is_sum(series: Expression) -> bool:
    return isinstance(series, Call) and series.function == "method.sum"


def _of_values(over: Expression, place: Place) -> Tally:
    if isinstance(over, Comprehension):
        return Tally(replace(over, kind="list"), in_list, total=True)
    return Tally(Call(place, LISTED, (over,)), in_list, total=True)


def _of_column(column: Expression, place: Place) -> Tally:
    """Return the counts of a series; a frame, whose rows are counted, is no list."""
    match column:
        case Subscript(index=Constant(value=str())) | Attribute():
            return Tally(_copy(column, place), _in_column, series=True)
    return Tally(Call(place, SERIES_LISTED, (column,)), in_list, series=True)


def _of_groups(of: Expression, how: str, value: Call) -> Tally | None:
    """Return the counts or sums of ``df.groupby("key")``, or of one column of it."""
    column: Expression | None = None
    match of:
        case Subscript(value=groups, index=Constant(value=str()) as column):
            of = groups
        case Attribute(value=groups, name=name) if isinstance(groups, Call):
            of, column = groups, Constant(value.place, name)
    match of:
        case Call(
            function="method.groupby", arguments=(frame, Constant(value=str()) as key), keywords=()
        ) if is_pure(frame):
            pass
        case _:
            return None
    if (how == "method.size") is (column is not None):
        return None

    def count(held: Expression, wanted: Expression, place: Place) -> Expression:
        same = Call(place, "operator.eq", (Subscript(place, held, key), wanted))
        group = Subscript(place, held, same)
        if column is None:
            return Call(place, "builtins.len", (group,))
        return Call(place, how, (Subscript(place, group, column),))

    return Tally(_copy(frame, value.place), count, series=True)


def _copy(value: Expression, place: Place) -> Expression:
    return Call(place, "method.copy", (value,))


def _in_column(held: Expression, key: Expression, place: Place) -> Expression:
    same = Call(place, "operator.eq", (held, key))
    return Call(place, "builtins.len", (Subscript(place, held, same),))


def in_list(held: Expression, key: Expression, place: Place) -> Expression:
    """Return the count of a key in a list of keys."""
    return Call(place, "method.count", (held, key))


def number_of(value: Expression) -> Any:
    """Return the number that an expression is, None for others."""
    plain = isinstance(value, Constant) and type(value.value) in (int, float)
    return value.value if plain else None  # type: ignore[union-attr]


def whole_of(value: Expression) -> int | None:
    """Return the integer that an expression is, None for others: counts of floats are floats."""
    found = number_of(value)
    return found if type(found) is int else None


# --- what asks for counts


def _asked(node: Node, tally: Tally, held: Expression, is_it: Callable[[Any], bool]) -> Any:
    """Return what a node that asks a tally for counts stands for, None where it does not."""
    match node:
        case Subscript(value=of, index=key) if is_it(of) and tally.total and is_pure(key):
            return tally.count(held, key, node.place)
        case Call(function="method.get", arguments=(of, key), keywords=()) if (
            is_it(of) and tally.total and not tally.series and is_pure(key)
        ):
            return tally.count(held, key, node.place)
        case Call(function="method.get", arguments=(of, key, Constant() as rest), keywords=()) if (
            is_it(of) and type(rest.value) is int and rest.value == 0 and is_pure(key)
        ):
            count = tally.count(held, key, node.place)
            return count if tally.total or not tally.series else _of_either_type(count)
        case Call(function="builtins.len", arguments=(of,), keywords=()) if (
            is_it(of) and tally.keys is None and tally.total and not tally.series
        ):
            different = Call(node.place, "builtins.set", (held,))
            return replace(node, arguments=(different,))
        case Attribute(value=of, name="values") if is_it(of):
            return _all_counts(tally, held, node.place)
        case Call(function="method.to_numpy", arguments=(of,), keywords=()) if is_it(of):
            return _all_counts(tally, held, node.place)
        case Call(function="method.tolist" | "method.to_list", arguments=(of,)) if is_it(of):
            counts = _all_counts(tally, held, node.place)
            return None if counts is None else counts.arguments[0]
    return None


def _of_either_type(count: Expression) -> Call:
    """Return a count as Python's `sum` of it, which is 0 of Python where there is none of NumPy."""
    return Call(count.place, "builtins.sum", (Sequence(count.place, "list", (count,)),))


def _all_counts(tally: Tally, held: Expression, place: Place) -> Call | None:
    if not tally.series or tally.keys is None:
        return None
    name = Name(place, "·key")
    element = tally.count(held, name, place)
    counts = Comprehension(place, "list", element, ((name, tally.keys, ()),))
    return Call(place, "numpy.array", (counts,))


def inline(node: Any) -> Any:
    """Return counts that are asked for where they are made: ``Counter(data)[k]``."""
    of: Any = None
    if isinstance(node, Subscript | Attribute):
        of = node.value
    elif isinstance(node, Call) and node.arguments:
        asks = str(node.function).startswith("method.") or node.function == "builtins.len"
        of = node.arguments[0] if asks else None
    tally = _tally(of) if isinstance(of, Call) else None
    if tally is None or not is_pure(_plain(tally.kept)):
        return None
    return _asked(node, tally, _plain(tally.kept), lambda value: value is of)


def _plain(kept: Expression) -> Expression:
    """Return a copy that nobody changes as what it copies."""
    return kept.arguments[0] if isinstance(kept, Call) and kept.function == "method.copy" else kept


# --- a variable that holds them


def of_series(
    body: tuple[Statement, ...], name: str, parameters: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """Return statements without ``name = Counter(…)`` and the like, None where it is kept."""
    made = [node for statement in body for node in walk(statement) if name in bound(node)]
    if len(made) != 1 or not isinstance(made[0], Assign) or not isinstance(made[0].target, Name):
        return None
    if any(writes(statement, name) for statement in body):
        return None
    start = made[0]
    tally = _tally(start.value)
    if tally is None or keys_may_change(body, tally, parameters):
        return None

    def change(node: Any) -> Any:
        if node is start:
            return replace(start, target=kept_in(start, name), value=tally.kept)
        return use(node, tally, name)

    return complete(tuple(rewritten(s, change) for s in body), name)


def kept_in(node: Node, name: str) -> Name:
    """Return the variable that holds the keys: no other has such a name."""
    return Name(node.place, f"·{name}")


def use(node: Any, tally: Tally, name: str) -> Any:
    """Return what stands for a node that uses a tally, None where it does not."""
    found = (
        _asked(node, tally, kept_in(node, name), is_name(name)) if isinstance(node, Node) else None
    )
    return found if found is not None else _loop_of_items(node, tally, name)


def complete(body: tuple[Any, ...], name: str) -> tuple[Any, ...] | None:
    """Return statements where no use of a variable is left."""
    return None if any(is_name(name)(node) for s in body for node in walk(s)) else body


def keys_may_change(body: tuple[Statement, ...], tally: Tally, parameters: tuple[str, ...]) -> bool:
    """Whether the public keys may be others where counts are asked for."""
    if tally.keys is None or isinstance(tally.keys, Constant):
        return False
    used = {node.id for node in walk(tally.keys) if isinstance(node, Name)}
    nodes = [node for statement in body for node in walk(statement)]
    every = [*parameters, *(name for node in nodes for name in bound(node))]
    if any(every.count(name) > 1 for name in used):
        return True
    for node in nodes:
        match node:
            case Call(function=function, arguments=given):
                others = given[:1] if function == "method.reindex" else given
                if function not in _READS and _named(others, used):
                    return True
            case Assign(target=Subscript(value=of)) | Update(target=Subscript(value=of)):
                if _named((of,), used):
                    return True
            case Assign(value=value) if _named((value,), used):
                return True
    return False


_READS = (
    "builtins.enumerate",
    "builtins.len",
    "builtins.range",
    "builtins.zip",
    "numpy.array",
    "operator.contains",
)


def _named(values: tuple[Any, ...], names: set[str]) -> bool:
    return any(isinstance(value, Name) and value.id in names for value in values)


def is_name(name: str) -> Callable[[Any], bool]:
    """Return a test whether a node is a variable."""
    return lambda value: isinstance(value, Name) and value.id == name


def _loop_of_items(node: Any, tally: Tally, name: str) -> Any:
    """Return a loop over the items of public keys as one over the keys."""
    if not isinstance(tally.keys, Constant | Sequence) or not are_distinct(tally.keys):
        return None
    is_it, held = is_name(name), kept_in(node, name)
    match node:
        case For(
            target=Sequence(items=(Name() as key, Name() as value)),
            iterable=Call(function="method.items", arguments=(of,)),
        ) if is_it(of):
            first = Assign(node.place, value, tally.count(held, key, node.place))
            return replace(node, target=key, iterable=tally.keys, body=(first, *node.body))
        case For(target=Name(), iterable=of) if is_it(of):
            return replace(node, iterable=_looped(tally, held, node.place))
        case Comprehension(clauses=((Name() as item, of, conditions),)) if is_it(of):
            looped = _looped(tally, held, node.place)
            return replace(node, clauses=((item, looped, conditions),))
        case Comprehension(
            clauses=((Sequence(items=(Name() as key, Name() as value)), of, tests),)
        ):
            asked = isinstance(of, Call) and of.function == "method.items"
            if not asked or not is_it(of.arguments[0]):  # type: ignore[union-attr]
                return None
            count = tally.count(held, key, node.place)

            def put(inner: Any) -> Any:
                return count if isinstance(inner, Name) and inner.id == value.id else None

            element = rewritten(node.element, put)
            conditions = tuple(rewritten(test, put) for test in tests)
            return replace(node, element=element, clauses=((key, tally.keys, conditions),))
        case Call(function="method.values", arguments=(of,), keywords=()) if is_it(of):
            key = Name(node.place, "·key")
            element = tally.count(held, key, node.place)
            return Comprehension(node.place, "list", element, ((key, tally.keys, ()),))
        case Call(function="method.keys", arguments=(of,), keywords=()) if is_it(of):
            return tally.keys
    return None


def _looped(tally: Tally, held: Expression, place: Place) -> Any:
    """Return what a loop goes over: the keys of a dict, the counts of a series."""
    counts = _all_counts(tally, held, place)
    return tally.keys if counts is None else counts.arguments[0]


def are_distinct(keys: Constant | Sequence) -> bool:
    """Whether keys are known, texts or whole numbers, and all different."""
    items = keys.items if isinstance(keys, Sequence) else None
    if items is not None:
        values = [item.value if isinstance(item, Constant) else None for item in items]
    elif isinstance(keys, Constant) and isinstance(keys.value, list | tuple | range):
        values = list(keys.value)
    else:
        return False
    plain = all(type(value) in (str, int) for value in values)
    return plain and len(set(values)) == len(values)


def writes(statement: Statement, name: str) -> bool:
    """Whether a statement changes entries of a variable."""
    return any(
        isinstance(node, Assign | Update)
        and isinstance(node.target, Subscript)
        and is_name(name)(node.target.value)
        for node in walk(statement)
    )
