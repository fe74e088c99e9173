"""Loops over groups of a frame that ask one number of each, as loops over these numbers.

``for _, g in frame.groupby("user"): total += min(g["pay"].sum(), 9)`` goes through
``frame.groupby("user")["pay"].sum()``; ``groups["pay"].apply(lambda x: min(x.sum(), 9))`` is a
function of each of these. The frame is a function of variables alone, which the loop leaves as
they are. A loop that reads keys, or rows otherwise, stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.rewriting import call, same
from dpaudit.formal.lifting.trees import rewritten
from dpaudit.formal.lifting.unchanged import changes_nothing
from dpaudit.formal.program import (
    Assign,
    Call,
    Closure,
    Comprehension,
    Constant,
    Expression,
    For,
    Function,
    Name,
    Node,
    Return,
    Sequence,
    Statement,
    Subscript,
    Update,
    walk,
)

Block = tuple[Statement, ...]
_AMOUNTS = frozenset(f"method.{word}" for word in ("sum", "mean", "max", "min"))
_EACH = frozenset({"method.clip", "method.abs", "method.fillna"})


def of_numbers(body: Block) -> Block:
    """Return a body whose loops over groups go through one number of each.

    Parameters
    ----------
    body : tuple of Statement
    """
    read = rewriting.reads(*body)
    loaded = rewriting.loads(*body)

    def change(node: Any) -> Any:
        match node:
            case For(target=target, iterable=iterable, body=inside, otherwise=()):
                found = _through(target, iterable, inside, read, loaded)
                if found is None or not _leaves(iterable, inside):
                    return None
                variable, numbers, new = found
                return replace(node, target=variable, iterable=numbers, body=new)
            case Comprehension(element=element, clauses=((target, iterable, ()),)):
                found = _through(target, iterable, element, read, loaded)
                if found is None or not changes_nothing(element):
                    return None
                variable, numbers, new = found
                return replace(node, element=new, clauses=((variable, numbers, ()),))
            case Call(function="method.apply", arguments=(of, Closure() as by), keywords=()):
                return _applied(node, of, by)
        return None

    return tuple(rewritten(statement, change) for statement in body)


def _leaves(iterable: Expression, body: Block) -> bool:
    """Return whether a loop leaves the variables as they are that the groups are made of."""
    names = set(rewriting.reads(iterable))
    nodes = [node for statement in body for node in rewriting.inner(statement)]
    plain = all(isinstance(n.target, Name) for n in nodes if isinstance(n, Assign | Update))
    values = (value for s in nodes for value in [rewriting.value_of(s)] if value is not None)  # type: ignore[arg-type]
    return plain and not names & set(rewriting.stores(*body)) and all(map(changes_nothing, values))


def _through(
    target: Any, iterable: Expression, body: Any, read: Counter[str], loaded: Counter[str]
) -> tuple[Name, Expression, Any] | None:
    """Return what a loop over groups goes through, and its body, None where it reads more."""
    match target, iterable:
        case (
            Sequence(items=(Name() as key, Name() as group)),
            Call(function="method.groupby", arguments=(frame, Constant() as by), keywords=()),
        ) if is_pure(frame) and isinstance(by.value, str):
            parts = body if isinstance(body, tuple) else (body,)
            inside = rewriting.reads(*parts)
            alone = read[group.id] == inside[group.id] + 1 and not loaded[key.id]
            if not alone or key.id == group.id:
                return None
            found = _numbers(parts, group.id, frame, by, None)
            if found is None:
                return None
            numbers, new = found
            return group, numbers, new if isinstance(body, tuple) else new[0]
    return None


def _applied(node: Call, of: Expression, by: Closure) -> Expression | None:
    """Return a function of an amount of each group of a column; of no groups these are floats."""
    body, names = by.function.body, by.function.parameters
    result = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
    match of:
        case Subscript(
            value=Call(
                function="method.groupby", arguments=(frame, Constant() as key), keywords=()
            ),
            index=Constant() as column,
        ) if is_pure(frame) and result is not None and len(names) == 1:
            found = _numbers((result,), names[0], frame, key, column)
            if found is None or rewriting.draws(result):
                return None
            numbers, (new,) = found
            if isinstance(new, Name):
                return numbers
            function = replace(by.function, body=(Return(node.place, new),))
            return replace(node, arguments=(numbers, replace(by, function=function)))
    return None


def _numbers(
    parts: tuple[Any, ...], group: str, frame: Expression, by: Constant, column: Constant | None
) -> tuple[Expression, tuple[Any, ...]] | None:
    """Return the number of each group that is asked for, and what asks with its name in place."""
    asked: list[Call] = []

    def change(node: Any) -> Any:
        if isinstance(node, Call) and _is_asked(node, group, column):
            asked.append(node)
            return Name(node.place, group)
        return None

    new = tuple(rewritten(part, change) for part in parts)
    left = rewriting.reads(*new)[group]
    hidden = any(isinstance(n, Function) for part in parts for n in _below(part, group))
    first = asked[0] if asked else None
    if first is None or hidden or left != len(asked) or not all(same(a, first) for a in asked):
        return None
    numbers = _of_each_group(first, group, frame, by, column)
    return None if numbers is None else (numbers, new)


def _below(part: Node, group: str) -> list[Node]:
    """Return the functions that read a group."""
    functions = [node for node in walk(part) if isinstance(node, Function)]
    return [f for f in functions if rewriting.reads(*f.body)[group]]


def _is_asked(node: Call, group: str, column: Constant | None) -> bool:
    """Return whether a call asks one number of a group: how many rows, or an amount."""
    of = node.arguments[0] if len(node.arguments) == 1 and not node.keywords else None
    if node.function == "builtins.len" and column is None:
        return isinstance(of, Name) and of.id == group
    return node.function in _AMOUNTS and of is not None and _is_of_rows(of, group, column)


def _is_of_rows(node: Expression, group: str, column: Constant | None) -> bool:
    """Return whether an expression is a function of each row's value in one column."""
    match node:
        case Name(id=name):
            return name == group and column is not None
        case Subscript(value=Name(id=name), index=Constant(value=str())):
            return name == group and column is None
        case Call(function=str() as function, arguments=(of, *others), keywords=named):
            given = [*others, *(value for _, value in named)]
            known = all(isinstance(value, Constant) for value in given)
            return function in _EACH and known and _is_of_rows(of, group, column)
    return False


def _of_each_group(
    asked: Call, group: str, frame: Expression, by: Constant, column: Constant | None
) -> Expression | None:
    """Return one number of each group: of the frame with the column as the function makes it."""
    place = asked.place
    if asked.function == "builtins.len":
        return call(place, "method.size", call(place, "method.groupby", frame, by))
    values = asked.arguments[0]
    of: Any = column or next(n.index for n in walk(values) if isinstance(n, Subscript))
    if column is None:
        made = rewriting.filled(values, {group: frame})
    else:
        whole = rewriting.filled(values, {group: Subscript(place, frame, column)})
        made = call(place, "method.astype", whole, Constant(place, float))
    if same(of, by):
        return None
    if not isinstance(made, Subscript):
        frame = Call(place, "method.assign", (frame,), ((of.value, made),))
    groups = call(place, "method.groupby", frame, by)
    return replace(asked, arguments=(Subscript(place, groups, of),))
