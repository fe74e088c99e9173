"""Functions that are defined inside another one and only called there, as functions of their own.

``def noise(b): return rng.laplace(scale=b)`` inside of a function becomes a function of ``b`` and
``rng``, which every call passes on. A variable of the function around is read when the function
inside is called, and that is when its value is passed; neither may assign the other's variables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.formal.lifting import rewriting
from dpaudit.formal.lifting.trees import bound
from dpaudit.formal.program import (
    EMITTED,
    Call,
    Closure,
    Comprehension,
    Define,
    Expression,
    Function,
    Name,
    Node,
    Starred,
    Statement,
    children,
    walk,
)

Block = tuple[Statement, ...]


def unnested(body: Block) -> Block:
    """Return a body without the definitions of functions that are only called.

    Parameters
    ----------
    body : tuple of Statement
    """
    for at, statement in enumerate(body):
        if isinstance(statement, Define) and body[at + 1 :]:
            function = statement.function.function
            found = _moved(body[:at], body[at + 1 :], statement.name, function)
            if found is not None:
                return unnested((*body[:at], *found))
    return body


def _moved(before: Block, after: Block, name: str, function: Function) -> Block | None:
    """Return what follows a definition with calls of a function of its own; None where it stays."""
    free = _free(function)
    if function.starred is not None or {name, EMITTED} & free:
        return None
    if any(_uses(statement, name) for statement in before):
        return None
    calls: dict[int, Call] = {}
    callees: set[int] = set()
    for node in (node for statement in after for node in rewriting.inner(statement)):
        if isinstance(node, Define) and node.name == name:
            return None
        if isinstance(node, Comprehension | Closure) and _hides(node, {name, *free}):
            return None
        if isinstance(node, Call) and node.function == "operator.call":
            first = node.arguments[0]
            if isinstance(first, Name) and first.id == name:
                callees.add(id(first))
                calls[id(node)] = node
    uses = (n for s in after for n in walk(s) if isinstance(n, Name) and n.id == name)
    if any(id(node) not in callees for node in uses):
        return None
    every = [*calls.values()]
    if any(isinstance(a, Starred) for call in every for a in call.arguments):
        return None
    names = sorted(free)
    whole = replace(function, parameters=(*function.parameters, *names))
    return tuple(_called(statement, calls, whole, names) for statement in after)


def _called(statement: Statement, calls: dict[int, Call], whole: Function, names: list[str]) -> Any:
    """Return a statement with calls of the function, the innermost first."""

    def changed(node: Any) -> Any:
        new: dict[int, Node] = {}
        for part in _outermost(node, calls):
            given = tuple(changed(a) for a in part.arguments[1:])
            keywords = tuple((key, changed(value)) for key, value in part.keywords)
            passed: tuple[tuple[str, Expression], ...] = tuple(
                (name, Name(part.place, name)) for name in names
            )
            own = replace(whole)  # one a call: checkers tell noise apart by where it is drawn
            new[id(part)] = Call(part.place, own, given, (*keywords, *passed))
        return rewriting.exchanged(node, new)

    return changed(statement)


def _outermost(node: Node, calls: dict[int, Call]) -> list[Call]:
    if id(node) in calls:
        return [calls[id(node)]]
    return [call for part in _parts(node) for call in _outermost(part, calls)]


def _free(function: Function) -> set[str]:
    """Return the variables of a function that are not its own."""
    own = set(function.parameters)
    for node in (node for statement in function.body for node in rewriting.inner(statement)):
        own |= {node.name} if isinstance(node, Define) else set()
        if not isinstance(node, Function | Comprehension):
            own |= set(bound(node))
    found: set[str] = set()
    for statement in function.body:
        found |= _read(statement)
    return found - own


def _read(node: Any) -> set[str]:
    """Return the variables that occur in a node, and are no variables of a part alone."""
    if isinstance(node, Function):
        return _free(node)
    if isinstance(node, Comprehension):
        inside = {n for part in _parts(node) for n in _read(part)}
        # The first iterable is evaluated outside.
        return (inside - set(bound(node))) | _read(node.clauses[0][1])
    if isinstance(node, Name):
        return {node.id}
    return {n for part in _parts(node) for n in _read(part)}


def _parts(node: Node) -> list[Node]:
    if isinstance(node, Call) and isinstance(node.function, Function):
        return [*node.arguments, *(value for _, value in node.keywords)]
    return list(children(node))


def _hides(node: Comprehension | Closure, names: set[str]) -> bool:
    """Whether a part has variables of its own by one of these names."""
    if isinstance(node, Closure):
        inside = node.function
        parts = (n for statement in inside.body for n in rewriting.inner(statement))
        own = {*bound(inside), *(name for part in parts for name in bound(part))}
        return bool(own & names)
    return bool(set(bound(node)) & names)


def _uses(statement: Statement, name: str) -> bool:
    defined = any(isinstance(n, Define) and n.name == name for n in rewriting.inner(statement))
    return defined or any(isinstance(n, Name) and n.id == name for n in walk(statement))
