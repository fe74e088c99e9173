"""Sums and means that a program takes only where there are records: ``sum(data) if data else 0``.

A sum over no records is 0, and `means` takes 0 for their mean. So where the other side of a test
for records is 0 too, the choice is the sum, or the mean, in each run, whichever side that takes.
Both sides are evaluated, neither of which draws or changes anything; only the type of the number
may tell which side it came from.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from dpaudit.checker.cost import one_by_one
from dpaudit.checker.cost.ends import ONE
from dpaudit.checker.cost.frames import Frame as DataFrame
from dpaudit.checker.cost.frames import Series
from dpaudit.checker.cost.means import mean
from dpaudit.checker.cost.parts import Parts
from dpaudit.checker.cost.record_columns import Rows, View, records_of
from dpaudit.checker.cost.run import Run
from dpaudit.checker.cost.shared import is_repeated
from dpaudit.checker.cost.values import Unknown, kind_of
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.file import NotCheckedError

Node = dict[str, Any]
_SOME = {("gt", 0), ("ge", 1), ("ne", 0)}
_NONE = {("eq", 0), ("lt", 1), ("le", 0)}


def choice(machine: Any, test: Node, yes: Node, no: Node, frame: Any) -> Any:
    """Return a choice by whether there are records, None of any other choice.

    Parameters
    ----------
    machine : Machine
    test, yes, no : dict
        Expressions.
    frame : Frame
    """
    run: Run = machine.run
    if run.lane is not None or not all(map(_only_computes, (test, yes, no))):
        return None
    try:
        asked = _asked(machine, test, frame)
        if asked is None:
            return None
        view, some = asked
        summed, otherwise = (yes, no) if some else (no, yes)
        total = _mean(machine, summed, view, frame)
        if total is not None:
            whole = _is_nothing(machine.value(otherwise, frame), total)
            return run.mark_apart(total) if whole else None
        total, nothing = (machine.value(side, frame) for side in (summed, otherwise))
    except NotCheckedError:
        return None
    if not _is_sum_over(total, view) or not _is_nothing(nothing, total):
        return None
    return run.mark_apart(replace(total))


def assigned(machine: Any, node: Node, frame: Any) -> bool:
    """Follow a branch that assigns such a choice to a variable; return whether it is one."""
    match node["yes"], node["no"]:
        case (
            [{"kind": "Assign", "target": {"kind": "Name", "id": name}, "value": yes}],
            [{"kind": "Assign", "target": {"kind": "Name", "id": other}, "value": no}],
        ) if name == other:
            pass
        case [{"kind": "Assign", "target": {"kind": "Name", "id": name} as held, "value": yes}], []:
            no = held
        case _:
            return False
    if no is not yes and no.get("kind") == "Name" and name not in frame.variables:
        return False
    found = choice(machine, node["test"], yes, no, frame)
    if found is not None:
        frame.variables[name] = found
    return found is not None


def _only_computes(node: Node) -> bool:
    """Whether an expression draws nothing and changes nothing."""
    match node:
        case {"kind": "Comprehension", "element": element, "clauses": clauses}:
            parts = [part for _, through, tests in clauses for part in (through, *tests)]
            return all(map(_only_computes, (element, *parts)))
        case {"kind": "Call", "function": str(), "arguments": list(given), "keywords": named}:
            itself = is_repeated({**node, "arguments": [], "keywords": []})
            return itself and all(map(_only_computes, (*given, *(value for _, value in named))))
        case {"kind": "Choice", "test": test, "yes": yes, "no": no}:
            return all(map(_only_computes, (test, yes, no)))
        case {"kind": "Attribute", "name": "size" | "empty", "value": of}:
            return _only_computes(of)
    return is_repeated(node) and not one_by_one.draws(node)


def _asked(machine: Any, test: Node, frame: Any) -> tuple[View, bool] | None:
    """Return of which records a test asks whether there are any, and what it is where there are."""
    match test:
        case {"kind": "Call", "function": "operator.not_", "arguments": [inside]}:
            asked = _asked(machine, inside, frame)
            return None if asked is None else (asked[0], not asked[1])
        case {
            "kind": "Call",
            "function": str(name),
            "arguments": [length, {"kind": "Constant", "value": {"int": number}}],
        } if name.startswith("operator."):
            view = records_of(machine.value(length, frame))
            asks = name.removeprefix("operator."), int(number)
            if view is None or asks not in _SOME | _NONE:
                return None
            return view, asks in _SOME
        case {"kind": "Attribute", "name": "empty", "value": of}:
            held = machine.value(of, frame)
            if isinstance(held, Series):
                return held.rows.view, False
            columns = isinstance(held, DataFrame) and held.table.columns  # else always empty
            return (held.table.view, False) if columns else None
    value = machine.value(test, frame)
    if isinstance(value, Rows | Parts):
        listed = isinstance(value, Parts) or value.listed
        return (value.view, True) if listed else None
    view = records_of(value)
    return None if view is None else (view, True)


def _mean(machine: Any, node: Node, view: View, frame: Any) -> Unknown | None:
    """Return the mean of these records, 0 where there is none; None where it is no such mean."""
    match node:
        case {
            "kind": "Call",
            "function": "method.mean" | "numpy.mean",
            "arguments": [of],
            "keywords": [],
        }:
            held = machine.value(of, frame)
            rows = held.rows if isinstance(held, Series) else held
        case {"kind": "Call", "function": "operator.truediv", "arguments": [above, below]}:
            if records_of(machine.value(below, frame)) is not view:
                return None
            total = machine.value(above, frame)
            once = isinstance(total, Unknown) and total.sum_of is not None
            rows = total.sum_of[0] if once and total.sum_of[1] == ONE else None
        case _:
            return None
    plain = isinstance(rows, Rows) and rows.view is view and not rows.rest and not rows.listed
    return mean(machine.run, rows) if plain and rows.dtype in ("int", "float") else None


def _is_sum_over(value: Any, view: View) -> bool:
    """Whether a number is a sum over these records, or over some of all the records there are.

    So is how many of them there are.
    """
    if not isinstance(value, Unknown) or not value.regular or value.sum_of is None:
        return False
    of = value.sum_of[0]
    own = of.view if isinstance(of, Rows) else of
    return isinstance(own, View) and (own is view or view.whole)


def _is_nothing(value: Any, total: Unknown) -> bool:
    """Whether a value is 0, of a type that the sum may have."""
    if isinstance(value, Number):
        double = value.double if value.sign() == 0 else None
        positive = double is not None and math.copysign(1, double) > 0
        return positive and kind_of(total) == "float"
    return type(value) is int and value == 0
