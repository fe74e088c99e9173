"""Constants of a program, read from its nodes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.values import Value
from dpaudit.checker.file import RejectedError
from dpaudit.checker.program import refused

Node = dict[str, Any]


def ends_of(index: Node) -> list[Node]:
    """Return the expressions of an index, or the two ends of a slice."""
    if index["kind"] != "Slice":
        return [index]
    if index["step"] is not None or index["start"] is None or index["stop"] is None:
        raise refused("a slice without both ends, or with a step", index)
    return [index["start"], index["stop"]]


def constant(node: Node) -> Value:
    """Return the value of a constant; a float is the rational that it is."""
    if node.get("kind") != "Constant":
        raise RejectedError("a value of the program that should be a constant is none")
    return _constant(node["value"], node)


def _constant(value: Any, node: Node) -> Value:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inside),) = value.items()
        if kind == "int" and isinstance(inside, str):
            return Ratio.of(int(inside))
        if kind == "float" and isinstance(inside, str):
            found = float.fromhex(inside)
            if found in (float("inf"), float("-inf")):
                return found
            if found == found and (found or math.copysign(1, found) > 0):
                return Ratio.of(Fraction(found))
        if kind == "tuple" and isinstance(inside, list):
            return tuple(_constant(item, node) for item in inside)
    raise refused("a constant of this kind", node)
