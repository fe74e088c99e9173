"""Dicts that a loop counts in, written as lists that the loop appends keys to (`tallies`).

A key that is missing raises an error where the code would raise one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.tallies import (
    Tally,
    are_distinct,
    complete,
    in_list,
    inline,
    is_name,
    kept_in,
    keys_may_change,
    of_series,
    use,
    whole_of,
    writes,
)
from dpaudit.formal.lifting.trees import bound, rewritten, same, variables
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Comprehension,
    Constant,
    Evaluate,
    Expression,
    For,
    Name,
    Place,
    Raise,
    Sequence,
    Statement,
    Subscript,
    Update,
    walk,
)


def without_tallies(body: tuple[Statement, ...], parameters: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the statements of a function with counts by key as lists of keys."""
    body = tuple(rewritten(statement, inline) for statement in body)
    for name in dict.fromkeys(_assigned(body)):
        if name not in parameters:
            found = of_series(body, name, parameters) or _of_loop(body, name, parameters)
            body = body if found is None else found
    return body


def _of_loop(
    body: tuple[Statement, ...], name: str, parameters: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """Return statements without a dict that one loop counts in, None where it is kept."""
    made = [i for i, s in enumerate(body) if isinstance(s, Assign) and is_name(name)(s.target)]
    loops = [i for i, s in enumerate(body) if isinstance(s, For) and writes(s, name)]
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
    if keys_may_change(body, tally, parameters):
        return None
    counted = _counting(loop.body, name, tally)
    if counted is None:
        return None

    changed: list[Any] = [rewritten(s, lambda node: use(node, tally, name)) for s in body]
    empty = Sequence(begin.place, "list", ())
    changed[made[0]] = replace(begin, target=kept_in(begin, name), value=empty)
    changed[loops[0]] = replace(loop, body=counted)
    if any(is_name(name)(node) for s in body[made[0] + 1 : loops[0]] for node in walk(s)):
        return None
    return complete(tuple(changed), name)


def _started(value: Expression) -> Tally | None:
    """Return the counts by key that an empty dict, or one of zeros, is the beginning of."""
    empty = Sequence(value.place, "list", ())
    match value:
        case Call(function="collections.Counter", arguments=(), keywords=()):
            return Tally(empty, in_list, total=True)
        case Call(function="collections.defaultdict", arguments=(kind,), keywords=()):
            known = isinstance(kind, Constant) and kind.value is int
            return Tally(empty, in_list, total=True) if known else None
        case Sequence() | Constant():
            return None
        case Call(function="builtins.dict", arguments=(), keywords=()):
            return Tally(empty, in_list)
        case Call(function="builtins.dict.fromkeys", arguments=(keys, zero), keywords=()):
            found = keys if whole_of(zero) == 0 else None
        case Comprehension(
            kind="dict",
            element=Sequence(items=(Name(id=one), zero)),
            clauses=((Name(id=other), keys, ()),),
        ) if one == other and whole_of(zero) == 0:
            found = keys
        case _:
            return _of_display(value, empty)
    if isinstance(found, Constant | Sequence) and are_distinct(found):
        return Tally(empty, in_list, keys=found, total=True)
    return None


def _of_display(value: Expression, empty: Expression) -> Tally | None:
    from dpaudit.formal.program import Mapping

    if not isinstance(value, Mapping):
        return None
    if not value.items:
        return Tally(empty, in_list)
    if any(whole_of(zero) != 0 for _, zero in value.items):
        return None
    keys = Sequence(value.place, "tuple", tuple(key for key, _ in value.items))
    return Tally(empty, in_list, keys=keys, total=True) if are_distinct(keys) else None


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
            append = Call(place, "method.append", (kept_in(statement, name), key))
            found.append(Evaluate(place, append))
        elif absent is not None and tally.keys is None:
            started.append(absent)
        elif isinstance(statement, Branch) and writes(statement, name):
            sides = _of_branch(statement, name, tally)
            if sides is None:
                return None
            found.append(sides)
        elif any(is_name(name)(node) for node in walk(statement)):
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
        append = Call(node.place, "method.append", (kept_in(node, name), counted))
        return Evaluate(node.place, append)
    test, guarded = node.test, None
    match test:
        case Call(function="operator.contains", arguments=(of, key)) if is_name(name)(of):
            if tally.keys is None or not is_pure(key):
                return None
            test, guarded = replace(test, arguments=(tally.keys, key)), key
    if any(is_name(name)(part) for part in walk(test)):
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
                if is_name(name)(target.value) and not same(target.index, key):
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
        ) if is_name(name)(of) and is_name(name)(to) and tally.keys is None and whole_of(one) == 1:
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
        ) if is_name(name)(of) and is_name(name)(to) and whole_of(zero) == 0 and same(at, key):
            return key if is_pure(key) else None
    return None


def _key_counted(
    node: Statement, name: str, tally: Tally, started: list[Expression]
) -> Expression | None:
    """Return the key to whose count a statement adds 1."""
    is_it = is_name(name)
    key: Expression
    match node:
        case Update(target=Subscript(value=of, index=at), function="operator.iadd", value=one) if (
            is_it(of) and whole_of(one) == 1
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
        ) if is_it(of) and is_it(to) and same(index, at) and whole_of(one) == 1:
            key = index
            if whole_of(zero) != 0 or tally.keys is not None:
                return None
        case _:
            return None
    uses = any(is_it(inner) for inner in walk(key))
    return None if uses or not is_pure(key) else key


def _missing_key(key: Expression, keys: Expression, place: Place) -> Statement:
    """Return what a dict does about a key that it has not."""
    inside = Call(place, "operator.contains", (keys, key))
    # What it says is the key; whether it comes is private already.
    error = Raise(place, Call(place, "builtins.KeyError", (Constant(place, "a key"),)))
    return Branch(place, Call(place, "operator.not_", (inside,)), (error,), ())


def _assigned(body: tuple[Statement, ...]) -> list[str]:
    return [s.target.id for s in body if isinstance(s, Assign) and isinstance(s.target, Name)]
