"""Lending: the names under which a function may hold an array of its caller's.

What a function changes in such an array is changed for the caller too, whose own values the
analysis does not follow into the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = dict[str, Any]
_VIEWS_WORDS = """
asanyarray asarray atleast_1d atleast_2d broadcast_to diagonal expand_dims flip moveaxis ravel
reshape squeeze swapaxes transpose view getitem
"""
_VIEWS = frozenset(_VIEWS_WORDS.split())


def lent_to(node: Node) -> frozenset[str]:
    """Return the names of a function that may be arrays of its caller's, or views of them.

    Parameters
    ----------
    node : dict
        The function.
    """
    lent = {str(name) for name in node["parameters"]}
    pairs = [pair for statement in node["body"] for pair in _bound(statement)]
    while True:
        found = {
            name for target, value in pairs if _is_view(value, lent) for name in _names(target)
        }
        if found <= lent:
            return frozenset(lent)
        lent |= found


def root(target: Node) -> str | None:
    """Return the name of the array that is changed where a target is, None of an object's."""
    while target["kind"] == "Subscript":
        target = target["value"]
    return str(target["id"]) if target["kind"] == "Name" else None


def _bound(node: Any) -> Iterator[tuple[Node, Node]]:
    """Yield what is bound to which value, in a statement and all that is in it."""
    if isinstance(node, list):
        for item in node:
            yield from _bound(item)
    if not isinstance(node, dict) or node.get("kind") == "Function":
        return
    if node.get("kind") in ("Assign", "Named"):
        yield node["target"], node["value"]
    if node.get("kind") == "For":
        yield node["target"], node["iterable"]
    for value in node.values():
        yield from _bound(value)


def _names(target: Any) -> Iterator[str]:
    match target:
        case {"kind": "Name", "id": name}:
            yield str(name)
        case {"kind": "tuple" | "list", "items": items}:
            for item in items:
                yield from _names(item)
        case {"kind": "Starred", "value": value}:
            yield from _names(value)


def _is_view(node: Any, lent: set[str]) -> bool:
    """Whether a value may be an array of the caller's, or share its memory."""
    match node:
        case {"kind": "Name", "id": name}:
            return name in lent
        case {"kind": "Subscript" | "Attribute" | "Starred", "value": value}:
            return _is_view(value, lent)
        case {"kind": "Choice", "yes": yes, "no": no}:
            return _is_view(yes, lent) or _is_view(no, lent)
        case {"kind": "tuple" | "list", "items": items}:
            return any(_is_view(item, lent) for item in items)
        case {"kind": "Call", "function": str(name), "arguments": arguments}:
            library, _, word = name.partition(".")
            fresh = library in ("numpy", "math", "operator", "method") and word not in _VIEWS
            return not fresh and any(_is_view(argument, lent) for argument in arguments)
        case {"kind": "Call", "arguments": arguments}:
            return any(_is_view(argument, lent) for argument in arguments)
    return False
