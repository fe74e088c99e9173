"""Trees of a lifted program: nodes that are replaced, and the names they bind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dpaudit.formal.lifting.rewriting import with_parts
from dpaudit.formal.program import (
    Assign,
    Comprehension,
    Constant,
    For,
    Function,
    Name,
    Named,
    Node,
    Sequence,
    Starred,
    Update,
)


def rewritten(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree in which some nodes are others, from the leaves up."""
    if not isinstance(node, Node) or isinstance(node, Constant | Function):
        return node
    found = change(node)  # before its parts: what is asked for is recognized as it was written
    if isinstance(found, Name):
        return found
    return with_parts(node if found is None else found, partial(rewritten, change=change))


def bound(node: Node) -> list[str]:
    """Return the names that a node itself binds."""
    targets: list[Any] = []
    match node:
        case Assign(target=target) | Update(target=target) | For(target=target):
            targets = [target]
        case Named(target=target):
            targets = [target]
        case Comprehension(clauses=clauses):
            targets = [clause[0] for clause in clauses]
        case Function(parameters=parameters, starred=starred):
            return [*parameters, *([] if starred is None else [starred])]
    return [n.id for t in targets for n in _flat(t)]


def _flat(target: Any) -> list[Name]:
    if isinstance(target, Name):
        return [target]
    if isinstance(target, Starred):
        return _flat(target.value)
    return [n for t in target.items for n in _flat(t)] if isinstance(target, Sequence) else []
