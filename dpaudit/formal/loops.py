"""Loops and comprehensions: unrolled where what they go over is public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from dpaudit.formal import program as ir
from dpaudit.formal.assign import assign
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import (
    Array,
    Both,
    DictValue,
    Foreign,
    Known,
    ListValue,
    Rows,
    Table,
    Tuple,
    Unaligned,
    Value,
)
from dpaudit.formal.program import Place
from dpaudit.formal.refine import refined
from dpaudit.formal.running import NotConcreteError, concrete
from dpaudit.formal.unsupported import PrivateUse, Unsupported
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.walk import Flow, Walk

MOST_ITEMS = 20_000


def items_of(walk: Walk, value: Value, place: Place) -> list[Value]:
    """Return the items of a value that has the same number of them in both runs.

    Raises
    ------
    Unsupported
        For others; `PrivateUse` where their number is private.
    """
    match value:
        case Tuple(items=items) | ListValue(items=items):
            return list(items)
        case DictValue(items=items):
            return [constant(key) for key in items]
        case Known(value=object_) if isinstance(object_, str | np.ndarray | range | tuple | set):
            if len(object_) > MOST_ITEMS:
                raise Unsupported(f"a loop over {len(object_)} items", place)
            return [constant(item) for item in object_]
        case Known(value=object_) if hasattr(object_, "__iter__"):
            return [constant(item) for item in object_]
        case Both(left=left, right=right):
            left, right = list(left), list(right)
            if len(left) != len(right):
                raise _private("a loop whose length is private", place, value)
            pairs = zip(left, right, strict=True)
            return [Both(a, b, ("item", value.term, i)) for i, (a, b) in enumerate(pairs)]
        case Foreign():
            return walk.hooks.iterate(value, place, walk)
        case Array() | Table():
            return _entries(walk, value, place)
    raise Unsupported(f"iteration over {in_words(value)}", place)


def _private(what: str, place: Place, value: Value) -> Unsupported:
    return PrivateUse("loop", what, place, value)


def _entries(walk: Walk, value: Array | Table, place: Place) -> list[Value]:
    from dpaudit.formal.indexing import item

    axis = value.rows if isinstance(value, Table) else (value.shape[0] if value.shape else None)
    if isinstance(axis, Rows) and axis.public and axis.least == axis.most:
        axis = axis.least
    if isinstance(axis, Rows | Unaligned):
        raise _private("a loop whose length is private", place, value)
    if isinstance(value, Table) or not isinstance(axis, sympy.Integer):
        raise Unsupported(f"a loop over {axis} items", place)
    return [item(walk, value, constant(i), place) for i in range(int(axis))]


def run_for(walk: Walk, node: ir.For, rest: tuple[ir.Statement, ...] | None) -> Flow:
    """Run a loop."""
    from dpaudit.formal.record_bodies import rows_of
    from dpaudit.formal.record_loops import over_records
    from dpaudit.formal.walk import NEXT, Flow

    iterable = walk.evaluate(node.iterable)
    if rows_of(iterable) is not None:
        over_records(walk, node, iterable)
        return NEXT
    for value in items_of(walk, iterable, node.place):
        assign(walk, node.target, value)
        flow = walk.block(node.body, None)
        if flow.how == "break":
            return NEXT
        if flow.how in ("return", "raise"):
            return flow
    flow = walk.block(node.otherwise, rest)
    return flow if flow.how != "next" else Flow()


def run_while(walk: Walk, node: ir.While) -> Flow:
    """Run a loop whose test is public each time."""
    from dpaudit.formal.walk import NEXT

    sampled = walk.hooks.sampled(node, walk)
    if sampled is not None:
        return sampled
    for _ in range(MOST_ITEMS):
        test = walk.evaluate(node.test)
        outcome = walk.truth(test, node.place)
        if outcome is None:
            raise _private("a loop whose length is private", node.place, test)
        refined(walk, test, outcome)
        if not outcome:
            return walk.block(node.otherwise, None)
        flow = walk.block(node.body, None)
        if flow.how == "break":
            return NEXT
        if flow.how in ("return", "raise"):
            return flow
    raise Unsupported("a loop without an end in sight", node.place)


def comprehension(walk: Walk, node: ir.Comprehension) -> Value:
    """Return the value of a comprehension."""
    from dpaudit.formal.record_bodies import rows_of
    from dpaudit.formal.record_loops import comprehension_over_records
    from dpaudit.formal.walk import Frame

    _, iterable, _ = node.clauses[0]
    first = walk.evaluate(iterable)
    walk.frames.append(Frame({}, walk.frames[-1], "comprehension"))
    try:
        if rows_of(first) is not None:
            return comprehension_over_records(walk, node, first)
        found: list[Value] = []
        _collect(walk, node, 0, found, first)
    finally:
        walk.frames.pop()
    if node.kind in ("list", "generator"):
        return ListValue(found)
    try:
        if node.kind == "set":
            return Known({concrete(value) for value in found})
        pairs = [value.items for value in found if isinstance(value, Tuple)]
        return DictValue({concrete(key): value for key, value in pairs})
    except (NotConcreteError, TypeError):
        raise Unsupported(f"a {node.kind} whose keys are not known", node.place) from None


def _collect(
    walk: Walk, node: ir.Comprehension, depth: int, found: list[Value], iterable: Any
) -> None:
    target, source, conditions = node.clauses[depth]
    values = items_of(walk, walk.evaluate(source) if iterable is None else iterable, node.place)
    for value in values:
        assign(walk, target, value)
        if not _kept(walk, conditions):
            continue
        if depth + 1 < len(node.clauses):
            _collect(walk, node, depth + 1, found, None)
        else:
            found.append(walk.evaluate(node.element))


def _kept(walk: Walk, conditions: tuple[ir.Expression, ...]) -> bool:
    for condition in conditions:
        test = walk.evaluate(condition)
        outcome = walk.truth(test, condition.place)
        if outcome is None:
            raise _private("a list whose length is private", condition.place, test)
        refined(walk, test, outcome)
        if not outcome:
            return False
    return True
