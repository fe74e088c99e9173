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
