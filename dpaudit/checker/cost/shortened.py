"""Shortened vectors: a branch that brings a private vector down to a length where it is longer.

``if norm > C: x = x * (C / norm)`` leaves x longer than C in no run, whichever way each run goes:
a run that does not take the branch has a norm of C at most. So what the branch leaves moves by
2 C at most, all entries together, and by no more than that where it leaves a shorter vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.checker.cost.arrays import Arr
from dpaudit.checker.cost.ends import ONE, least, most
from dpaudit.checker.cost.lengths import Length, Part
from dpaudit.checker.cost.positional_records import by_place
from dpaudit.checker.cost.record_columns import Rows
from dpaudit.checker.cost.shared import is_repeated
from dpaudit.checker.cost.values import Change, Unknown, is_number
from dpaudit.checker.exact.numbers import Number, number

Node = dict[str, Any]
_LONGER = {
    "operator.gt": (0, 1),
    "operator.ge": (0, 1),
    "operator.lt": (1, 0),
    "operator.le": (1, 0),
}


def branched(machine: Any, node: Node, frame: Any) -> bool:
    """Follow a branch that shortens a vector; return whether it is one."""
    test, [*body] = node["test"], node["yes"]
    if node["no"] or len(body) != 1 or body[0]["kind"] != "Assign" or machine.run.lane is not None:
        return False
    if test["kind"] != "Call" or test["function"] not in _LONGER or len(test["arguments"]) != 2:
        return False
    norm_node, limit_node = (test["arguments"][at] for at in _LONGER[test["function"]])
    named = norm_node["kind"] == body[0]["target"]["kind"] == "Name"
    if not named or not is_repeated(limit_node) or not is_repeated(body[0]["value"]):
        return False
    name, vector = norm_node["id"], body[0]["target"]["id"]
    if not {name, vector} <= frame.variables.keys() or name == vector:
        return False
    norm, limit, old = (
        frame.variables[name],
        machine.value(limit_node, frame),
        frame.variables[vector],
    )
    length = norm.made if isinstance(norm, Unknown) else None
    if (
        not isinstance(length, Length)
        or length.norm == "linf"
        or not is_number(limit)
        or number(limit).sign() <= 0
    ):
        return False
    entries = _entries(machine.run, old)
    if entries is None or {id(x) for x in entries.cells.flat} != {id(x) for x in length.of}:
        return False
    low = most((norm.low, number(limit)))
    frame.variables[name] = Unknown(norm.kind, low, norm.high, norm.change, made=length)
    machine.block(body, frame)
    frame.variables[name] = norm
    far = _radius(frame.variables[vector], entries, length)
    if far is None:
        raise machine.run.refused("a branch on private data")
    radius = most((far, number(limit) / length.factor))
    frame.variables[vector] = _either(machine.run, entries, frame.variables[vector], length, radius)
    return True


def _entries(run: Any, value: Any) -> Arr | None:
    if isinstance(value, Rows) and not value.listed and value.dtype == "float":
        return by_place(run, value)
    return value if isinstance(value, Arr) and value.dtype == "float" else None


def _radius(new: Any, old: Arr, length: Length) -> Number | None:
    """Return how long a vector is at most of which each entry is one of another, divided."""
    if not isinstance(new, Arr) or new.dtype != "float" or new.cells.shape != old.cells.shape:
        return None
    found: list[Number] = []
    for x, y in zip(old.cells.flat, new.cells.flat, strict=True):
        part = y.made if isinstance(y, Unknown) else None
        if not isinstance(part, Part) or part.places != (id(x),):
            return None
        if {id(each) for each in part.length.of} != {id(each) for each in length.of}:
            return None
        found.append(abs(part.factor) * part.length.groups[0].high)
    largest: Number = most(found)
    return largest


def _either(run: Any, old: Arr, new: Arr, length: Length, radius: Number) -> Arr:
    """Return a vector that is one of two, of that length at most."""
    shorter = Length.make(length.of, 1 / radius, length.norm)
    cells = np.empty(old.cells.shape, dtype=object)
    for at in np.ndindex(*cells.shape):
        x, y = old.cells[at], new.cells[at]
        part = Part(shorter, (id(x),), ONE)
        low, high = most((least((x.low, y.low)), -radius)), least((most((x.high, y.high)), radius))
        change = Change(tokens={shorter.moved(id(x)): ONE})
        cells[at] = Unknown("float", low, high, change, made=part)
    run.held += (old.cells, new.cells, cells)  # it may be either: a change of one is of both
    return Arr(cells, "float")
