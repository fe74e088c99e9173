"""Constants, names and errors of a program, read from its nodes."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.values import Value
from dpaudit.checker.file import NotCheckedError, RejectedError

Node = dict[str, Any]

_OF_LIFTING = re.compile(r"·\d+\.\d+|·\w+")  # names for parts of chained assignments


def ends_of(index: Node) -> list[Node]:
    """Return the expressions of an index, or the two ends of a slice."""
    if index["kind"] != "Slice":
        return [index]
    if index["step"] is not None or index["start"] is None or index["stop"] is None:
        raise refused("a slice without both ends, or with a step", index)
    return [index["start"], index["stop"]]


def refused(what: str, node: Node) -> NotCheckedError:
    """Return the error that a construct is not one that is checked."""
    return NotCheckedError(f"not checked: {what} at {node.get('place')}")


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
            if found == found:
                return Ratio.of(Fraction(found))
        if kind == "tuple" and isinstance(inside, list):
            return tuple(_constant(item, node) for item in inside)
    raise refused("this constant", node)


def identifier(name: Any) -> str:
    """Return a name that is one: names with other signs are the checker's own."""
    if isinstance(name, str) and (name.isidentifier() or _OF_LIFTING.fullmatch(name)):
        return name
    raise RejectedError(f"the program has a variable {name!r:.60}, which is no name")


def identifiers(names: list[str], what: str) -> list[str]:
    """Return names that are names, each once."""
    found = [identifier(name) for name in names]
    if len(set(found)) != len(found):
        raise RejectedError(f"{what} of the program stands twice")
    return found


def error_name(node: Node) -> str:
    """Return the name of an error whose text says nothing that a run could change."""
    value = node["value"]
    if value is None:
        return "error"
    plain = value["kind"] == "Call" and isinstance(value["function"], str)
    if plain and all(a["kind"] == "Constant" for a in value["arguments"]) and not value["keywords"]:
        texts = [str(argument["value"]) for argument in value["arguments"]]
        return f"{value['function']}({', '.join(texts)})"
    raise refused("an error whose text is not constant", node)
