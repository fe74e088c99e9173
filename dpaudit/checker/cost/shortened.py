"""Shortened vectors: a branch that brings a private vector down to a length where it is longer.

``if norm > C: x = x * (C / norm)`` leaves x longer than C in no run, whichever way each run goes:
a run that does not take the branch has a norm of C at most. So what the branch leaves moves by
2 C at most, all entries together, and by no more than that where it leaves a shorter vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.checker.cost import indexing
from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import ONE, least, most
from dpaudit.checker.cost.lengths import Length, Part
from dpaudit.checker.cost.one_by_one import draws
from dpaudit.checker.cost.positional_records import by_place
from dpaudit.checker.cost.record_columns import Rows
from dpaudit.checker.cost.shared import is_repeated
from dpaudit.checker.cost.values import Change, Unknown, is_number
from dpaudit.checker.exact.numbers import Number, number

Node = dict[str, Any]
_LONGER = {"operator.gt": 0, "operator.ge": 0, "operator.lt": 1, "operator.le": 1}  # by place
_NORM = "norm_of_the_test_"


def branched(machine: Any, node: Node, frame: Any) -> bool:
    """Follow a branch that shortens a vector; return whether it is one."""
    bodies = [body for body in (node["yes"], node["no"]) if body]
    made = [each for each in map(_assigned, bodies) if each is not None]
    if not made or len(made) < len(bodies) or any(target["kind"] != "Name" for target, _ in made):
        return False
    target = made[0][0]
    if any(other["id"] != target["id"] for other, _ in made):
        return False
    old = frame.variables.get(target["id"])
    updated = any(body[0]["kind"] == "Update" for body in bodies)
    if updated and not (isinstance(old, Arr) and len(bodies) == 1):
        return False
    values = iter(value for _, value in made)
    yes, no = (next(values) if body else target for body in (node["yes"], node["no"]))
    found = chosen(machine, node["test"], yes, no, frame, in_place=updated)
    if found is not None and updated:
        indexing.change(machine.run, old, found)
    elif found is not None:
        frame.variables[target["id"]] = found
    return found is not None


def _assigned(body: list[Node]) -> tuple[Node, Node] | None:
    """Return what a body assigns, and to what, where it does nothing else."""
    if len(body) != 1 or body[0]["kind"] not in ("Assign", "Update"):
        return None
    (node,) = body
    target, value = node["target"], node["value"]
    if node["kind"] == "Update":
        function, place = f"operator.{node['function'].removeprefix('operator.i')}", node["place"]
        value = {"kind": "Call", "function": function, "arguments": [target, value],
                 "keywords": [], "place": place}  # fmt: skip
    return target, value


def chosen(
    machine: Any, test: Node, yes: Node, no: Node, frame: Any, *, in_place: bool = False
) -> Arr | None:
    """Return a vector, or what a test of its norm shortens it to; None for other choices."""
    if machine.run.lane is not None or test["kind"] != "Call" or test["function"] not in _LONGER:
        return None
    for at, norm_node in enumerate(test["arguments"]):
        longer, kept = (yes, no) if at == _LONGER[test["function"]] else (no, yes)
        vector = frame.variables.get(kept["id"]) if kept["kind"] == "Name" else None
        limit_node = test["arguments"][1 - at]
        pure = all(map(_is_formula, (norm_node, limit_node, longer)))
        if not isinstance(vector, Arr | Rows) or not pure or _NORM in frame.variables:
            continue
        norm, limit = machine.value(norm_node, frame), machine.value(limit_node, frame)
        length = norm.made if isinstance(norm, Unknown) else None
        if not isinstance(length, Length) or length.norm == "linf":
            continue
        if not is_number(limit) or number(limit).sign() <= 0:
            continue
        entries = _entries(machine.run, vector)
        if entries is None or {id(x) for x in entries.cells.flat} != {id(x) for x in length.of}:
            continue
        low = most((norm.low, number(limit)))
        frame.variables[_NORM] = Unknown(norm.kind, low, norm.high, norm.change, made=length)
        new = machine.value(_with_norm(longer, norm_node), frame)
        del frame.variables[_NORM]
        far = _radius(new, entries, length)
        if far is None:
            raise machine.run.refused("a branch on private data")
        shorter = _either(entries, new, length, most((far, number(limit) / length.factor)))
        if not in_place:  # it may be either: a change of one is of both
            machine.run.held += (entries.cells, new.cells, shorter.cells)
        return shorter
    return None


def _is_formula(node: Node) -> bool:
    """Whether to evaluate an expression again gives the same, and changes nothing."""
    return is_repeated(node) and not draws(node)


def _with_norm(node: Any, norm: Node) -> Any:
    """Return a formula in which the norm of the test has its name, wherever it is computed."""
    if _same(node, norm):
        return {"kind": "Name", "id": _NORM, "place": node["place"]}
    if isinstance(node, dict):
        return {key: _with_norm(value, norm) for key, value in node.items()}
    return [_with_norm(each, norm) for each in node] if isinstance(node, list) else node


def _same(one: Any, other: Any) -> bool:
    """Whether two formulas are the same but for their places."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = one.keys() - {"place"}
        return keys == other.keys() - {"place"} and all(_same(one[k], other[k]) for k in keys)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _entries(run: Any, value: Any) -> Arr | None:
    if isinstance(value, Rows) and not value.listed and value.dtype == "float":
        return by_place(run, value)
    return value if isinstance(value, Arr) and value.dtype == "float" else None


def _radius(new: Any, old: Arr, length: Length) -> Number | None:
    """Return how long a vector is at most of which each entry is one of another, divided.

    No other norm of a vector is larger than l1.
    """
    if not isinstance(new, Arr) or new.dtype != "float" or new.cells.shape != old.cells.shape:
        return None
    found: list[Number] = []
    for x, y in zip(old.cells.flat, new.cells.flat, strict=True):
        part = y.made if isinstance(y, Unknown) else None
        if not isinstance(part, Part) or part.places != (id(x),):
            return None
        if {id(each) for each in part.length.of} != {id(each) for each in length.of}:
            return None
        if part.length.norm not in ("l1", length.norm):
            return None
        found.append(abs(part.factor) * part.length.groups[0].high)
    largest: Number = most(found)
    return largest


def _either(old: Arr, new: Arr, length: Length, radius: Number) -> Arr:
    """Return a vector that is one of two, of that length at most."""
    shorter = Length.make(length.of, 1 / radius, length.norm)
    cells = np.empty(old.cells.shape, dtype=object)
    for at in np.ndindex(*cells.shape):
        x, y = old.cells[at], new.cells[at]
        part = Part(shorter, (id(x),), ONE)
        low, high = most((least((x.low, y.low)), -radius)), least((most((x.high, y.high)), radius))
        change = Change(tokens={shorter.moved(id(x)): ONE})
        cells[at] = Unknown("float", low, high, change, made=part)
    return Arr(cells, "float")
