"""Deviations from a mean that a comprehension squares, or multiplies with those of another column.

``(x - m) ** 2 for x in xs`` is the column ``(xs - m) ** 2`` where m is the mean of xs itself, and
``(x - m) * (y - k) for x, y in zip(xs, ys)`` is ``(xs - m) * (ys - k)``. No record may know m: it
depends on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.checker.cost.record_columns import Centered, Rows, centered
from dpaudit.checker.cost.record_functions import Squares
from dpaudit.checker.cost.values import Unknown

Node = dict[str, Any]


def products(node: Node, value: Callable[[Node], Any]) -> Squares | None:
    """Return the products that a comprehension lists, None of any other.

    Parameters
    ----------
    node : dict
        The comprehension.
    value : callable
        Gives what a variable holds.
    """
    match node:
        case {"clauses": [[target, items, []]], "element": {"kind": "Call"} as element}:
            columns = _columns(target, items)
        case _:
            return None
    match element:
        case {
            "function": "operator.pow",
            "arguments": [one, {"value": {"int": "2"}}],
            "keywords": [],
        }:
            other = one
        case {"function": "operator.mul", "arguments": [one, other], "keywords": []}:
            pass
        case _:
            return None
    first, second = _deviation(one, columns, value), _deviation(other, columns, value)
    return None if first is None or second is None else Squares(first, second)


def added(node: Node, value: Callable[[Node], Any]) -> tuple[str, Squares, tuple[str, ...]] | None:
    """Return what a loop does that adds such products to a variable, None of any other.

    Parameters
    ----------
    node : dict
        The loop: ``for x in xs: d = x - m; total += d * d``, with or without the first statement.
    value : callable
        Gives what a variable holds.

    Returns
    -------
    tuple of (str, Squares, tuple of str), or None
        The variable, the products, and what else the loop assigns.
    """
    match node:
        case {
            "target": target,
            "iterable": items,
            "otherwise": [],
            "body": [
                *before,
                {
                    "kind": "Update",
                    "function": "operator.iadd",
                    "target": {"kind": "Name", "id": str(name)},
                    "value": element,
                },
            ],
        }:
            own = tuple(str(each.get("id")) for each in target.get("items", [target]))
        case _:
            return None
    match before:
        case []:
            pass
        case [{"kind": "Assign", "target": {"kind": "Name", "id": str(short)}, "value": of}]:
            if short in (name, *own, *names_in(of)):
                return None
            element, own = _filled(element, short, of), (*own, short)
        case _:
            return None
    through = items.get("arguments", [items]) if items.get("kind") == "Call" else [items]
    if name in own or name in names_in((element, through)) or names_in(through) & set(own):
        return None  # it would change on the way
    squares = products({"clauses": [[target, items, []]], "element": element}, value)
    return None if squares is None else (name, squares, own)


def _filled(node: Any, name: str, value: Node) -> Any:
    """Return an expression with another one in place of a variable."""
    if isinstance(node, list):
        return [_filled(each, name, value) for each in node]
    if not isinstance(node, dict) or node.get("kind") == "Constant":
        return node
    if node.get("kind") == "Name" and node["id"] == name:
        return value
    return {key: _filled(each, name, value) for key, each in node.items()}


def names_in(node: Any) -> set[str]:
    """Return the variables that an expression names."""
    if isinstance(node, list | tuple):
        return {name for each in node for name in names_in(each)}
    if not isinstance(node, dict) or node.get("kind") == "Constant":
        return set()
    own = {str(node["id"])} if node.get("kind") == "Name" else set()
    return own | {name for each in node.values() for name in names_in(each)}


def _columns(target: Node, items: Node) -> dict[str, Node]:
    """Return which variable goes through which variable."""
    targets, through = [target], [items]
    match target, items:
        case (
            {"kind": "tuple", "items": targets},
            {"kind": "Call", "function": "builtins.zip", "arguments": through},
        ):
            pass
    named = [each.get("id") for each in targets if each["kind"] == "Name"]
    plain = all(each["kind"] == "Name" for each in through)
    alike = len(targets) == len(through) == len(named) == len(set(named))
    return dict(zip(map(str, named), through, strict=True)) if plain and alike else {}


def _deviation(
    node: Node, columns: dict[str, Node], value: Callable[[Node], Any]
) -> Centered | None:
    """Return a column less its mean."""
    match node:
        case {
            "kind": "Call",
            "function": "operator.sub",
            "arguments": [{"kind": "Name", "id": own}, {"kind": "Name", "id": middle} as mean],
        } if own in columns and middle not in columns:
            column, at = value(columns[own]), value(mean)
        case _:
            return None
    known = isinstance(column, Rows) and isinstance(at, Unknown) and not at.shared
    return centered(column, at) if known else None
