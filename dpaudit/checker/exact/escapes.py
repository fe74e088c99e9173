"""Escapes of generators: which code may hand on one, whose state tells what it drew before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpaudit.checker.exact.record_turn import DRAWS, inside
from dpaudit.checker.program import Node

Holders = Mapping[str, frozenset[str]]  # variables that are generators, or objects that hold some


def hands_on_generator(node: Any, holders: Holders) -> bool:
    """Return whether code may do more with a generator than to draw from it.

    Parameters
    ----------
    node : dict or list
        Each function stands whole wherever it is called.
    holders : mapping of str to frozenset of str
        Variables that are generators or hold some, with the attributes that are none.
    """
    if isinstance(node, list):
        return any(hands_on_generator(each, holders) for each in node)
    if not isinstance(node, dict):
        return False
    match node:
        case {"kind": "Constant"}:
            return False
        case {"kind": "Generator"}:
            return bool(node["origin"] != "fresh")
        case {"kind": "Name", "id": name}:
            return name in holders
        case {"kind": "Subscript", "value": {"kind": "Name", "id": name}} if name in holders:
            return _attribute(node) not in holders[name]
        case {"kind": "Draw"}:
            arguments = [value for _, value in node["arguments"]]
            return hands_on_generator(_others(arguments, node["generator"]), holders)
        case {"kind": "Call", "function": str(function), "arguments": [of, *others]} if (
            function in DRAWS
        ):
            others += [value for _, value in node["keywords"]]
            return hands_on_generator(_others(others, of), holders)
        case {"kind": "Call", "function": {"kind": "Function"} as function}:
            given = [*zip(function["parameters"], node["arguments"], strict=False)]
            inner: dict[str, frozenset[str]] = {}
            for name, value in (*function["defaults"].items(), *given, *node["keywords"]):
                if value["kind"] == "Name" and value["id"] in holders:
                    inner[name] = holders[value["id"]]
                elif value["kind"] == "Generator":
                    inner[name] = frozenset()
                elif hands_on_generator(value, holders):
                    return True
            more = len(node["arguments"]) > len(given)
            return more or hands_on_generator(function["body"], inner)
        case {"kind": "Assign", "target": {"kind": "Name", "id": name}}:
            return name in holders or hands_on_generator(node["value"], holders)
    return any(hands_on_generator(each, holders) for each in node.values())


def _others(others: list[Node], generator: Node) -> list[Node]:
    """Return what is evaluated beside a generator that is drawn from."""
    known = generator["kind"] in ("Name", "Generator") or _attribute(generator) is not None
    return others if known else [*others, generator]


def _attribute(node: Node) -> str | None:
    """Return the attribute of a variable that an expression is, None for anything else."""
    match node:
        case {"kind": "Subscript", "value": {"kind": "Name"}, "index": {"value": str(key)}}:
            return key
    return None


def plain_attributes(made: Node, holders: Holders) -> frozenset[str]:
    """Return the attributes of an object that hold no generator, as far as its making shows.

    Parameters
    ----------
    made : dict
        The call that makes it, or another expression, of which none are known.
    holders : mapping of str to frozenset of str
        Variables that are generators or hold some.
    """
    if made["kind"] != "Call" or not isinstance(made["function"], dict):
        return frozenset()
    function = made["function"]
    given = [made["arguments"][1:], *(value for _, value in made["keywords"])]
    given += function["defaults"].values()
    if any(n["kind"] == "Generator" or n.get("id") in holders for n in inside(given, [])):
        return frozenset()
    itself, *others = function["parameters"]
    stores = [
        (str(_attribute(node["target"])), node["value"])
        for node in inside(function["body"], [])
        if node["kind"] == "Assign" and _attribute(node["target"]) is not None
    ]
    plain, before = {key for key, _ in stores}, set[str]()
    while plain != before:  # what holds an attribute that holds a generator holds one too
        before = set(plain)
        plain -= {key for key, value in stores if not _is_plain(value, itself, others, plain)}
    return frozenset(plain)


def _is_plain(value: Node, itself: str, others: list[str], plain: set[str]) -> bool:
    """Return whether a value of an object's making is of arguments and plain attributes alone."""
    parts = list(inside(value, []))
    names = [part["id"] for part in parts if part["kind"] == "Name"]
    own = [part for part in parts if _attribute(part) is not None]
    known = {*names} <= {itself, *others} and names.count(itself) == len(own)
    known = known and not any(part["kind"] == "Generator" for part in parts)
    return known and all(_attribute(part) in plain for part in own)
