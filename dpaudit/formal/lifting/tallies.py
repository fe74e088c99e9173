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
from dpaudit.formal.lifting.trees import bound, rewritten, same, variables
from dpaudit.formal.program import (
    Assign,
    Attribute,
    Branch,
    Call,
    Comprehension,
    Constant,
    Evaluate,
    Expression,
    For,
    Name,
    Node,
    Place,
    Raise,
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


def without_tallies(body: tuple[Statement, ...], parameters: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the statements of a function with counts by key as lists of keys."""
    body = tuple(rewritten(statement, _inline) for statement in body)
    for name in dict.fromkeys(_assigned(body)):
        if name not in parameters:
            found = _of_series(body, name, parameters) or _of_loop(body, name, parameters)
            body = body if found is None else found
    return body


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
            filled = [(name, _number(v)) for name, v in value.keywords] == [("fill_value", 0)]
            if inner is not None and inner.series and filled and is_pure(keys):
                return replace(inner, keys=keys, total=True)
        case Call(function="method.value_counts", arguments=(column,)):
            plain = all(name == "sort" for name, _ in value.keywords)
            if plain and is_pure(column):
                return _of_column(column, value.place)
        case Call(function="method.size" | "method.count" | "method.sum" as how, arguments=(of,)):
            return _of_groups(of, str(how), value) if not value.keywords else None
    return None


def _of_values(over: Expression, place: Place) -> Tally:
    if isinstance(over, Comprehension):
        return Tally(replace(over, kind="list"), _in_list, total=True)
    return Tally(Call(place, LISTED, (over,)), _in_list, total=True)


def _of_column(column: Expression, place: Place) -> Tally:
    """Return the counts of a series; a frame, whose rows are counted, is no list."""
    match column:
        case Subscript(index=Constant(value=str())) | Attribute():
            return Tally(_copy(column, place), _in_column, series=True)
    return Tally(Call(place, SERIES_LISTED, (column,)), _in_list, series=True)


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


def _in_list(held: Expression, key: Expression, place: Place) -> Expression:
    return Call(place, "method.count", (held, key))


def _number(value: Expression) -> Any:
    plain = isinstance(value, Constant) and type(value.value) in (int, float)
    return value.value if plain else None  # type: ignore[union-attr]


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
            is_it(of) and _number(rest) == 0 and is_pure(key)
        ):
            return tally.count(held, key, node.place)
        case Attribute(value=of, name="values") if is_it(of):
            return _all_counts(tally, held, node.place)
        case Call(function="method.to_numpy", arguments=(of,), keywords=()) if is_it(of):
            return _all_counts(tally, held, node.place)
        case Call(function="method.tolist" | "method.to_list", arguments=(of,)) if is_it(of):
            counts = _all_counts(tally, held, node.place)
            return None if counts is None else counts.arguments[0]
    return None


def _all_counts(tally: Tally, held: Expression, place: Place) -> Call | None:
    if not tally.series or tally.keys is None:
        return None
    name = Name(place, "·key")
    element = tally.count(held, name, place)
    counts = Comprehension(place, "list", element, ((name, tally.keys, ()),))
    return Call(place, "numpy.array", (counts,))


def _inline(node: Any) -> Any:
    """Return counts that are asked for where they are made: ``Counter(data)[k]``."""
    of: Any = None
    if isinstance(node, Subscript | Attribute):
        of = node.value
    elif isinstance(node, Call) and str(node.function).startswith("method.") and node.arguments:
        of = node.arguments[0]
    tally = _tally(of) if isinstance(of, Call) else None
    if tally is None or not is_pure(_plain(tally.kept)):
        return None
    return _asked(node, tally, _plain(tally.kept), lambda value: value is of)


def _plain(kept: Expression) -> Expression:
    """Return a copy that nobody changes as what it copies."""
    return kept.arguments[0] if isinstance(kept, Call) and kept.function == "method.copy" else kept


# --- a variable that holds them


def _of_series(
    body: tuple[Statement, ...], name: str, parameters: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """Return statements without ``name = Counter(…)`` and the like, None where it is kept."""
    made = [node for statement in body for node in walk(statement) if name in bound(node)]
    if len(made) != 1 or not isinstance(made[0], Assign) or not isinstance(made[0].target, Name):
        return None
    if any(_writes(statement, name) for statement in body):
        return None
    start = made[0]
    tally = _tally(start.value)
    if tally is None or _keys_may_change(body, tally, parameters):
        return None

    def change(node: Any) -> Any:
        if node is start:
            return replace(start, target=_held(start, name), value=tally.kept)
        return _use(node, tally, name)

    return _complete(tuple(rewritten(s, change) for s in body), name)


def _held(node: Node, name: str) -> Name:
    """Return the variable that holds the keys: no other has such a name."""
    return Name(node.place, f"·{name}")


def _use(node: Any, tally: Tally, name: str) -> Any:
    found = _asked(node, tally, _held(node, name), _is(name)) if isinstance(node, Node) else None
    return found if found is not None else _loop_of_items(node, tally, name)


def _complete(body: tuple[Any, ...], name: str) -> tuple[Any, ...] | None:
    """Return statements where no use of a variable is left."""
    return None if any(_is(name)(node) for s in body for node in walk(s)) else body


def _keys_may_change(
    body: tuple[Statement, ...], tally: Tally, parameters: tuple[str, ...]
) -> bool:
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
                read = isinstance(function, str) and function.startswith(_READS)
                if not read and any(isinstance(g, Name) and g.id in used for g in given):
                    return function != "method.reindex" or _named(given[:1], used)
            case Assign(target=Subscript(value=of)) | Update(target=Subscript(value=of)):
                if _named((of,), used):
                    return True
            case Assign(value=value) if _named((value,), used):
                return True
    return False


_READS = ("operator.e", "operator.c", "builtins.", "numpy.a", "numpy.z")


def _named(values: tuple[Any, ...], names: set[str]) -> bool:
    return any(isinstance(value, Name) and value.id in names for value in values)


def _is(name: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Name) and value.id == name


def _loop_of_items(node: Any, tally: Tally, name: str) -> Any:
    """Return a loop over the items of public keys as one over the keys."""
    if not isinstance(tally.keys, Constant | Sequence) or not _are_distinct(tally.keys):
        return None
    is_it, held = _is(name), _held(node, name)
    match node:
        case For(
            target=Sequence(items=(Name() as key, Name() as value)),
            iterable=Call(function="method.items", arguments=(of,)),
        ) if is_it(of):
            first = Assign(node.place, value, tally.count(held, key, node.place))
            return replace(node, target=key, iterable=tally.keys, body=(first, *node.body))
        case For(target=Name() as key, iterable=of) if is_it(of):
            return replace(node, iterable=tally.keys)
        case Comprehension(clauses=((Name(), of, conditions),)) if is_it(of):
            return replace(node, clauses=((node.clauses[0][0], tally.keys, conditions),))
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


def _are_distinct(keys: Constant | Sequence) -> bool:
    items = keys.items if isinstance(keys, Sequence) else None
    if items is not None:
        values = [item.value if isinstance(item, Constant) else None for item in items]
    elif isinstance(keys, Constant) and isinstance(keys.value, list | tuple | range):
        values = list(keys.value)
    else:
        return False
    plain = all(type(value) in (str, int) for value in values)
    return plain and len(set(values)) == len(values)


# --- a dict that a loop counts in


def _of_loop(
    body: tuple[Statement, ...], name: str, parameters: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """Return statements without a dict that one loop counts in, None where it is kept."""
    made = [i for i, s in enumerate(body) if isinstance(s, Assign) and _is(name)(s.target)]
    loops = [i for i, s in enumerate(body) if isinstance(s, For) and _writes(s, name)]
    if len(made) != 1 or len(loops) != 1 or made[0] > loops[0]:
        return None
    begin, loop = body[made[0]], body[loops[0]]
    assert isinstance(begin, Assign)
    assert isinstance(loop, For)
    tally = _started(begin.value)
    others = [s for i, s in enumerate(body) if i not in (made[0], loops[0])]
    again = sum(name in bound(node) for s in others for node in walk(s))
    if tally is None or again or loop.otherwise or name in bound(loop):
        return None
    if _keys_may_change(body, tally, parameters):
        return None
    counted = _counting(loop.body, name, tally)
    if counted is None:
        return None

    changed: list[Any] = [rewritten(s, lambda node: _use(node, tally, name)) for s in body]
    empty = Sequence(begin.place, "list", ())
    changed[made[0]] = replace(begin, target=_held(begin, name), value=empty)
    changed[loops[0]] = replace(loop, body=counted)
    if any(_is(name)(node) for s in body[made[0] + 1 : loops[0]] for node in walk(s)):
        return None
    return _complete(tuple(changed), name)


def _started(value: Expression) -> Tally | None:
    """Return the counts by key that an empty dict, or one of zeros, is the beginning of."""
    empty = Sequence(value.place, "list", ())
    match value:
        case Call(function="collections.Counter", arguments=(), keywords=()):
            return Tally(empty, _in_list, total=True)
        case Call(function="collections.defaultdict", arguments=(kind,), keywords=()):
            known = isinstance(kind, Constant) and kind.value in (int, float)
            return Tally(empty, _in_list, total=True) if known else None
        case Sequence() | Constant():
            return None
        case Call(function="builtins.dict", arguments=(), keywords=()):
            return Tally(empty, _in_list)
        case Call(function="builtins.dict.fromkeys", arguments=(keys, zero), keywords=()):
            found = keys if _number(zero) == 0 else None
        case Comprehension(
            kind="dict",
            element=Sequence(items=(Name(id=one), zero)),
            clauses=((Name(id=other), keys, ()),),
        ) if one == other and _number(zero) == 0:
            found = keys
        case _:
            return _of_display(value, empty)
    if isinstance(found, Constant | Sequence) and _are_distinct(found):
        return Tally(empty, _in_list, keys=found, total=True)
    return None


def _of_display(value: Expression, empty: Expression) -> Tally | None:
    from dpaudit.formal.program import Mapping

    if not isinstance(value, Mapping):
        return None
    if not value.items:
        return Tally(empty, _in_list)
    if any(_number(zero) != 0 for _, zero in value.items):
        return None
    keys = Sequence(value.place, "tuple", tuple(key for key, _ in value.items))
    return Tally(empty, _in_list, keys=keys, total=True) if _are_distinct(keys) else None


def _counting(body: tuple[Statement, ...], name: str, tally: Tally) -> tuple[Statement, ...] | None:
    """Return the body of a loop that adds 1 to counts as one that appends keys."""
    found: list[Statement] = []
    started: list[Expression] = []  # keys that were set to 0 where they were missing
    for statement in body:
        key = _key_counted(statement, name, tally, started)
        absent = _key_started(statement, name)
        if key is not None:
            place = statement.place
            if tally.keys is not None:  # a dict of zeros has no other key
                found.append(_missing_key(key, tally.keys, place))
            append = Call(place, "method.append", (_held(statement, name), key))
            found.append(Evaluate(place, append))
        elif absent is not None and tally.keys is None:
            started.append(absent)
        elif isinstance(statement, Branch) and _writes(statement, name):
            sides = _of_branch(statement, name, tally)
            if sides is None:
                return None
            found.append(sides)
        elif any(_is(name)(node) for node in walk(statement)):
            return None
        else:
            found.append(statement)
            set_again = {name for node in walk(statement) for name in bound(node)}
            started = [k for k in started if not set_again & variables(k)]
    return tuple(found)


def _of_branch(node: Branch, name: str, tally: Tally) -> Statement | None:
    """Return a test around counting: of the record, or whether its key is a public one."""
    counted = _first_or_next(node, name, tally)
    if counted is not None:
        append = Call(node.place, "method.append", (_held(node, name), counted))
        return Evaluate(node.place, append)
    test, guarded = node.test, None
    match test:
        case Call(function="operator.contains", arguments=(of, key)) if _is(name)(of):
            if tally.keys is None or not is_pure(key):
                return None
            test, guarded = replace(test, arguments=(tally.keys, key)), key
    if any(_is(name)(part) for part in walk(test)):
        return None
    inner = replace(tally, keys=None) if guarded is not None else tally
    yes = _counting(node.yes, name, inner)
    if guarded is not None and yes is not None and not _all_append(node.yes, name, guarded):
        return None
    no = _counting(node.no, name, tally)
    return None if yes is None or no is None else replace(node, test=test, yes=yes, no=no)


def _all_append(body: tuple[Statement, ...], name: str, key: Expression) -> bool:
    """Whether every change counts the key that was tested, which is not set in between."""
    used = variables(key)
    for statement in body:
        for node in walk(statement):
            if used & set(bound(node)):
                return False
            if isinstance(node, Update | Assign) and isinstance(node.target, Subscript):
                target = node.target
                if _is(name)(target.value) and not same(target.index, key):
                    return False
    return True


def _first_or_next(node: Branch, name: str, tally: Tally) -> Expression | None:
    """Return the key of ``if k in d: d[k] += 1 else: d[k] = 1``, either way round."""
    test, yes, no = node.test, node.yes, node.no
    if isinstance(test, Call) and test.function == "operator.not_":
        test, yes, no = test.arguments[0], no, yes
    match test, yes, no:
        case (
            Call(function="operator.contains", arguments=(of, key)),
            (Update() as again,),
            (Assign(target=Subscript(value=to, index=at), value=one),),
        ) if _is(name)(of) and _is(name)(to) and tally.keys is None and _number(one) == 1:
            counted = _key_counted(again, name, replace(tally, total=True), [])
            alike = counted is not None and same(counted, key) and same(at, key)
            return key if alike and is_pure(key) else None
    return None


def _key_started(node: Statement, name: str) -> Expression | None:
    """Return the key of ``if k not in d: d[k] = 0``."""
    match node:
        case Branch(
            test=Call(
                function="operator.not_",
                arguments=(Call(function="operator.contains", arguments=(of, key)),),
            ),
            yes=(Assign(target=Subscript(value=to, index=at), value=zero),),
            no=(),
        ) if _is(name)(of) and _is(name)(to) and _number(zero) == 0 and same(at, key):
            return key if is_pure(key) else None
    return None


def _key_counted(
    node: Statement, name: str, tally: Tally, started: list[Expression]
) -> Expression | None:
    """Return the key to whose count a statement adds 1."""
    is_it = _is(name)
    key: Expression
    match node:
        case Update(target=Subscript(value=of, index=at), function="operator.iadd", value=one) if (
            is_it(of) and _number(one) == 1
        ):
            key = at
            if not tally.total and not any(same(key, other) for other in started):
                return None
        case Assign(
            target=Subscript(value=of, index=index),
            value=Call(
                function="operator.add",
                arguments=(Call(function="method.get", arguments=(to, at, zero)), one),
            ),
        ) if is_it(of) and is_it(to) and same(index, at) and _number(one) == 1:
            key = index
            if _number(zero) != 0 or tally.keys is not None:
                return None
        case _:
            return None
    uses = any(is_it(inner) for inner in walk(key))
    return None if uses or not is_pure(key) else key


def _missing_key(key: Expression, keys: Expression, place: Place) -> Statement:
    """Return what a dict does about a key that it has not."""
    inside = Call(place, "operator.contains", (keys, key))
    error = Raise(place, Call(place, "builtins.KeyError", (key,)))
    return Branch(place, Call(place, "operator.not_", (inside,)), (error,), ())


def _writes(statement: Statement, name: str) -> bool:
    """Whether a statement changes entries of a variable."""
    return any(
        isinstance(node, Assign | Update)
        and isinstance(node.target, Subscript)
        and _is(name)(node.target.value)
        for node in walk(statement)
    )


def _assigned(body: tuple[Statement, ...]) -> list[str]:
    return [s.target.id for s in body if isinstance(s, Assign) and isinstance(s.target, Name)]
