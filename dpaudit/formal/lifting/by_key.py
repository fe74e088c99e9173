"""Dicts that begin empty and sets that are only searched, in the words that are checked.

``if k not in d: d[k] = 0`` is ``d.setdefault(k, 0)``; ``if k in d: d[k] += v`` with ``else: d[k] =
v`` is that before ``d[k] += v``; ``d[k] if k in d else 0`` is ``d.get(k, 0)``. ``x in {"a", "b"}``
is ``x in ("a", "b")``: a record is no list, so that both find the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.frames import is_pure
from dpaudit.formal.lifting.trees import bound, rewritten
from dpaudit.formal.program import (
    Assign,
    Branch,
    Call,
    Choice,
    Constant,
    Evaluate,
    Expression,
    Mapping,
    Name,
    Sequence,
    Statement,
    Subscript,
    Update,
    walk,
)

Block = tuple[Statement, ...]


def by_key(body: Block, parameters: tuple[str, ...]) -> Block:
    """Return a body with such dicts and sets in other words.

    Parameters
    ----------
    body : tuple of Statement
    parameters : tuple of str
    """
    nodes = [node for statement in body for node in walk(statement)]
    every = [*parameters, *(name for node in nodes for name in bound(node))]
    made = {n.target.id: n.value for n in nodes if isinstance(n, Assign) and _is_name(n.target)}  # type: ignore[union-attr]
    once = {name: value for name, value in made.items() if every.count(name) == 1}
    dicts = {name for name, value in once.items() if _begins_empty(value)}
    body = tuple(each for statement in body for each in _asked(statement, dicts))
    sets = {name for name, value in once.items() if _is_set(value) and _only_searched(name, nodes)}

    def change(node: Any) -> Any:
        if isinstance(node, Assign) and _is_name(node.target) and node.target.id in sets:  # type: ignore[union-attr]
            return replace(node, value=_listed(node.value))
        if isinstance(node, Call) and node.function == "operator.contains":
            holder, item = node.arguments
            return replace(node, arguments=(_listed(holder), item)) if _is_set(holder) else None
        return _given(node, dicts)

    return tuple(rewritten(statement, change) for statement in body)


def _is_name(node: Any) -> bool:
    return isinstance(node, Name)


# --- sets


def _is_set(node: Expression) -> bool:
    """Whether an expression is a set of known texts and whole numbers."""
    if isinstance(node, Constant):
        held = node.value if isinstance(node.value, set | frozenset) else ()
        return bool(held) and all(type(value) in (str, int) for value in held)
    if isinstance(node, Call) and node.function in ("builtins.set", "builtins.frozenset"):
        return len(node.arguments) == 1 and _are_known(node.arguments[0])
    return isinstance(node, Sequence) and node.kind == "set" and _are_known(node)


def _are_known(node: Expression) -> bool:
    if not isinstance(node, Sequence) or not node.items:
        return False
    return all(isinstance(i, Constant) and type(i.value) in (str, int) for i in node.items)


def _listed(node: Any) -> Expression:
    """Return the items of a set as a tuple."""
    if isinstance(node, Constant):
        return replace(node, value=tuple(sorted(node.value, key=repr)))
    inside: Any = node.arguments[0] if isinstance(node, Call) else node
    return Sequence(node.place, "tuple", inside.items)


def _only_searched(name: str, nodes: list[Any]) -> bool:
    calls = (n for n in nodes if isinstance(n, Call) and n.function == "operator.contains")
    searched = {id(call.arguments[0]) for call in calls}
    uses = [n for n in nodes if isinstance(n, Name) and n.id == name and id(n) not in searched]
    return len({id(use) for use in uses}) == 1  # where it is assigned


# --- dicts


def _begins_empty(value: Expression) -> bool:
    match value:
        case Mapping(items=()) | Call(function="builtins.dict", arguments=(), keywords=()):
            return True
        case Call(function="collections.defaultdict" | "collections.Counter", keywords=()):
            return len(value.arguments) == (value.function == "collections.defaultdict")
    return False


def _asked(statement: Any, dicts: set[str]) -> Block:
    """Return what a statement is in other words, and those inside of it."""
    whole = rewriting.with_blocks(
        statement, lambda inner: tuple(each for part in inner for each in _asked(part, dicts))
    )
    return (_tested(whole, dicts) if isinstance(whole, Branch) else None) or (whole,)


def _tested(node: Branch, dicts: set[str]) -> Block | None:
    """Return a test whether a dict has a key as the default that it gives."""
    test: Any = node.test
    yes, no = node.yes, node.no
    if isinstance(test, Call) and test.function == "operator.not_":
        test, yes, no = test.arguments[0], no, yes
    searched = isinstance(test, Call) and test.function == "operator.contains"
    if not searched or len(no) != 1 or not isinstance(no[0], Assign):
        return None
    of, key = test.arguments
    target, value = no[0].target, no[0].value
    only: Any = getattr(value, "items", ())
    if not _is_entry(target, of, key, dicts) or not is_pure(key):
        return None
    place = node.place

    def begun(empty: Expression) -> Statement:
        return Evaluate(place, Call(place, "method.setdefault", (of, key, empty)))

    if not yes:
        return (begun(value),) if _is_empty(value) else None
    if len(yes) != 1:
        return None
    match _updated(yes[0]):
        case Update(target=to, function="operator.iadd", value=more) as update if (
            _is_entry(to, of, key, dicts)
            and rewriting.same(more, value)
            and is_pure(more)
            and not _is_list(more)
        ):
            return (begun(Constant(place, 0)), update)
        case Evaluate(value=Call(function="method.append", arguments=(to, more))) if (
            _is_entry(to, of, key, dicts) and _is_list(value) and len(only) == 1
        ):
            alike = rewriting.same(more, only[0]) and is_pure(more)
            return (begun(Sequence(place, "list", ())), yes[0]) if alike else None
    return None


def _updated(node: Statement) -> Statement:
    """Return ``d[k] = d[k] + v`` as ``d[k] += v``: of numbers both are the same."""
    match node:
        case Assign(
            target=Subscript() as to, value=Call(function="operator.add", arguments=(a, b))
        ):
            return Update(node.place, to, "operator.iadd", b) if rewriting.same(a, to) else node
    return node


def _is_entry(node: Any, of: Any, key: Expression, dicts: set[str]) -> bool:
    if not isinstance(node, Subscript) or not isinstance(of, Name) or of.id not in dicts:
        return False
    return rewriting.same(node.value, of) and rewriting.same(node.index, key)


def _is_list(node: Expression) -> bool:
    return isinstance(node, Sequence) and node.kind == "list"


def _is_empty(node: Expression) -> bool:
    zero = isinstance(node, Constant) and type(node.value) in (int, float) and node.value == 0
    return zero or (_is_list(node) and not node.items)  # type: ignore[union-attr]


def _given(node: Any, dicts: set[str]) -> Expression | None:
    """Return ``d.get(k, 0)`` for ``d[k] if k in d else 0``."""
    match node:
        case Choice(
            test=Call(function="operator.contains", arguments=(of, key)), yes=entry, no=other
        ) if _is_entry(entry, of, key, dicts) and is_pure(key) and _is_empty(other):
            return Call(node.place, "method.get", (of, key, other))
    return None
