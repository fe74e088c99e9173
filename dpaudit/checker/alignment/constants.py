"""Constants of a program, read from its nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.values import Value
from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.program import refused
from dpaudit.checker.written import decoded

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
    try:
        return decoded(node["value"], _MADE)
    except NotCheckedError:
        raise refused("a constant of this kind", node) from None


def _float(written: str) -> Value:
    found = float.fromhex(written)
    if math.isinf(found):
        return found
    if math.isnan(found) or (found == 0 and math.copysign(1, found) < 0):
        raise NotCheckedError("not checked: NaN or -0.0")
    return Ratio.of(Fraction(found))


_MADE: dict[str, Callable[[Any], Value]] = {
    "int": lambda written: Ratio.of(int(written)),
    "float": _float,
    "tuple": tuple,
}
