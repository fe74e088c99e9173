"""Changes in place: which code may change objects that it did not make itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpaudit.checker.exact.record_turn import GROWS, inside, is_alone, is_array, may_change
from dpaudit.checker.program import EMITTED, Node, target_parts

_SCOPES = ("Closure", "Define")  # whose variables other functions may set


def changes_others(statements: list[Node], known: set[str]) -> bool:
    """Return whether statements may change an object that they, or functions called, did not make.

    Parameters
    ----------
    statements : list of dict
        Each function stands whole wherever it is called.
    known : set of str
        Variables that hold objects from before.
    """
    every = list(inside(statements, []))
    if any(each["kind"] in _SCOPES for each in every):
        return any(map(may_change, every))
    nodes = list(_own_nodes(statements))
    functions = [each for each in nodes if each["kind"] == "Function"]
    made = _Made(nodes, known)
    return any(may_change(each) and not made.alone_is_changed(each) for each in nodes) or any(
        changes_others(each["body"], {*each["parameters"]}) for each in functions
    )


def _own_nodes(node: Any) -> Iterator[Node]:
    """Yield the nodes of code, and the functions in it without what is in their bodies."""
    if isinstance(node, list):
        for each in node:
            yield from _own_nodes(each)
    elif isinstance(node, dict):
        if "kind" in node:
            yield node
        if node.get("kind") == "Constant":
            return
        for name, each in node.items():
            if not (node.get("kind") == "Function" and name == "body"):
                yield from _own_nodes(each)


class _Made:
    """The variables of a scope that hold new objects only."""

    def __init__(self, nodes: list[Node], known: set[str]) -> None:
        values: dict[str, list[Node | None]] = {}
        entries: dict[str, list[Node]] = {}
        for name, value in _bindings(nodes):
            values.setdefault(name, []).append(value)
        for name, value in _entries(nodes):
            entries.setdefault(name, []).append(value)
        self._own = {
            name
            for name, given in values.items()
            if name not in known and all(value is not None and is_alone(value) for value in given)
        }
        self._deep = {
            name
            for name in self._own
            if all(_holds_new(value) for value in values[name])
            and all(map(is_alone, entries.get(name, [])))
        }

    def alone_is_changed(self, node: Node) -> bool:
        """Return whether a node changes an object of such a variable, or the list of prints."""
        target: Node = node.get("target", {})
        of = target.get("value", {}).get("id") if target.get("kind") == "Subscript" else None
        match node["kind"]:
            case "Assign":
                return of in self._own
            case "Update":
                return target.get("id") in self._own or of in self._deep
            case "Call" if str(node["function"]) in GROWS and not node["keywords"]:
                return node["arguments"][0].get("id") in {EMITTED, *self._own}
        return False


def _bindings(nodes: list[Node]) -> Iterator[tuple[str, Node | None]]:
    """Yield each variable that is set, and to what; None where that is a part of something."""
    for node in nodes:
        if node["kind"] == "Assign" and node["target"]["kind"] == "Name":
            yield node["target"]["id"], node["value"]
            continue
        targets = [node["target"]] if node["kind"] in ("Assign", "For", "Named") else []
        for target in (*targets, *(clause[0] for clause in node.get("clauses", ()))):
            for part in (each for each in target_parts(target)):
                while part["kind"] == "Starred":
                    part = part["value"]
                if part["kind"] == "Name":
                    yield part["id"], None


def _entries(nodes: list[Node]) -> Iterator[tuple[str, Node]]:
    """Yield each variable of which an entry is set, with what goes into it."""
    for node in nodes:
        if node["kind"] == "Assign" and node["target"]["kind"] == "Subscript":
            yield str(node["target"]["value"].get("id")), node["value"]
        elif node["kind"] == "Update" and node["target"]["kind"] == "Name":
            yield node["target"]["id"], node["value"]
        elif node["kind"] == "Call" and str(node["function"]) in GROWS:
            yield from ((str(node["arguments"][0].get("id")), v) for v in node["arguments"][1:])


def _holds_new(value: Node | None) -> bool:
    """Return whether all that a new object holds is new too."""
    match value:
        case {"kind": "Constant"}:
            return True
        case {"kind": "list" | "set", "clauses": _, "element": element}:
            return is_alone(element)
        case {"kind": "list" | "set", "items": items}:
            return all(map(is_alone, items))
        case {"kind": "Mapping", "items": items}:
            return all(is_alone(each) for _, each in items)
        case {"kind": "Call", "function": "operator.mul", "arguments": [first, _]}:
            return first["kind"] == "list" and _holds_new(first)
        case {"kind": "Call", "arguments": given, "keywords": []} if not given:
            return True
    return value is not None and is_array(value)
