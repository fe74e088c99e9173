"""Assignments: to names, to tuples of names, to entries; in place where Python does it in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.formal import program as ir
from dpaudit.formal.calls import apply
from dpaudit.formal.domain import (
    Array,
    DictValue,
    Foreign,
    Known,
    ListValue,
    Number,
    Table,
    Tuple,
    Value,
)
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


def assign(walk: Walk, target: ir.Target, value: Value) -> None:
    """Bind a target."""
    match target:
        case ir.Name(id=name):
            walk.frames[-1].variables[name] = value
        case ir.Sequence(items=targets):
            _spread(walk, target, targets, value)
        case ir.Subscript():
            from dpaudit.formal.evaluate import index_of
            from dpaudit.formal.storing import stored

            container = walk.evaluate(target.value)
            index = index_of(walk, target.index)
            new = stored(walk, container, index, value, target.place)
            if new is not None:
                rebind(walk, target.value, container, new, target.place)
        case _:
            raise Unsupported(f"an assignment to {in_words(target)}", target.place)


def _spread(walk: Walk, target: Any, targets: tuple[Any, ...], value: Value) -> None:
    from dpaudit.formal.loops import items_of

    items = items_of(walk, value, target.place)
    starred = [i for i, each in enumerate(targets) if isinstance(each, ir.Starred)]
    if starred:
        at, after = starred[0], len(targets) - starred[0] - 1
        if len(items) < at + after:
            raise Unsupported("too few values to unpack", target.place)
        middle = ListValue(list(items[at : len(items) - after]))
        items = [*items[:at], middle, *items[len(items) - after :]]
        targets = tuple(t.value if isinstance(t, ir.Starred) else t for t in targets)
    if len(items) != len(targets):
        raise Unsupported(f"{len(items)} values for {len(targets)} targets", target.place)
    for each, item in zip(targets, items, strict=True):
        assign(walk, each, item)


def update(walk: Walk, node: ir.Update) -> None:
    """Carry out ``target op= value``."""
    target = node.target
    if isinstance(target, ir.Subscript):
        from dpaudit.formal.evaluate import index_of
        from dpaudit.formal.indexing import item
        from dpaudit.formal.storing import stored

        container = walk.evaluate(target.value)
        index = index_of(walk, target.index)
        before = item(walk, container, index, target.place)
        value = walk.evaluate(node.value)
        if isinstance(container, ListValue | DictValue):
            _check_alone(walk, before, node.place)
        after = apply(walk, node.function, [before, value], {}, node.place)
        new = stored(walk, container, index, after, target.place)
        if new is not None:
            rebind(walk, target.value, container, new, target.place)
        return
    if not isinstance(target, ir.Name):
        raise Unsupported("an update of something that is no name", node.place)
    old = walk.evaluate(target)
    value = walk.evaluate(node.value)
    check_unboxed(walk, old, node.place)
    if isinstance(old, ListValue) and node.function == "operator.iadd":
        from dpaudit.formal.loops import items_of

        if old.frozen:
            raise Unsupported("a change of a list that outlives the call", node.place)
        old.items.extend(items_of(walk, value, node.place))
        return
    new = apply(walk, node.function, [old, value], {}, node.place)
    rebind(walk, target, old, new, node.place)


def _check_alone(walk: Walk, old: Value, place: Place) -> None:
    """Refuse to change in place what a list or dict holds, and something else may hold too."""
    if isinstance(old, ListValue | DictValue):
        raise Unsupported("a list or dict within another, changed in place", place)
    check_unboxed(walk, old, place)
    if not _is_mutable(old):
        return
    if isinstance(old, Known) and not old.value.flags.writeable:
        raise Unsupported("a change of an array that outlives the call", place)
    seen: set[int] = set()
    values = [v for frame in _frames(walk) for v in frame.variables.values()]
    if sum(_holders(value, old, seen) for value in values) != 1:
        raise Unsupported("a change in place of an array that others may share", place)


def _holders(value: Value, old: Value, seen: set[int]) -> int:
    """Return at how many places a value holds another; lists and dicts are looked into once."""
    match value:
        case Tuple(items=items):
            return sum(_holders(each, old, seen) for each in items)
        case ListValue(items=items) | DictValue(items=items):
            if id(value) in seen:
                return 0
            seen.add(id(value))
            inner = items.values() if isinstance(items, dict) else items
            return sum(_holders(each, old, seen) for each in inner)
    return int(shares(value, old))


def sorted_in_place(walk: Walk, node: ir.Expression) -> bool:
    """Carry out ``x.sort()`` of an array or list of records; return whether it was one."""
    match node:
        case ir.Call(function="method.sort", arguments=(ir.Name() as target,), keywords=()):
            old = walk.evaluate(target)
        case _:
            return False
    if not isinstance(old, Array) or old.container not in ("array", "list"):
        return False
    which = "builtins.sorted" if old.container == "list" else "numpy.sort"
    rebind(walk, target, old, apply(walk, which, [old], {}, node.place), node.place)
    return True


def check_unboxed(walk: Walk, old: Value, place: Place) -> None:
    """Refuse an update of a number that may be an array without axes, which others may share."""
    if walk.boxed and isinstance(old, Number):
        raise Unsupported("an update of what may be an array without axes", place)


def rebind(walk: Walk, target: ir.Expression, old: Value, new: Value, place: Place) -> None:
    """Give the changed object's new value to the one variable that holds it.

    Raises
    ------
    Unsupported
        Where other variables may share its memory.
    """
    if not isinstance(target, ir.Name):
        raise Unsupported("a change inside of a container", place)
    known = old.value if isinstance(old, Known) else None
    if isinstance(known, np.ndarray) and not known.flags.writeable:
        raise Unsupported("a change of an array that outlives the call", place)
    if _is_mutable(old):
        holders = [
            name
            for frame in _frames(walk)
            for name, value in frame.variables.items()
            if shares(value, old)
        ]
        if len(holders) > 1 or (holders and holders != [target.id]):
            others = ", ".join(f"`{name}`" for name in holders if name != target.id)
            raise Unsupported(f"a change in place of an array that {others} may share", place)
    frame = walk.frames[-1]
    if target.id not in frame.variables:
        raise Unsupported(f"a change of `{target.id}` of an outer function", place)
    frame.variables[target.id] = new


def _frames(walk: Walk) -> list[Any]:
    found: list[Any] = []
    for frame in walk.frames:
        each: Any = frame
        while each is not None:
            if not any(each is known for known in found):
                found.append(each)
            each = each.parent
    return found


def _is_mutable(value: Value) -> bool:
    return isinstance(value, Array | Foreign | Table) or (
        isinstance(value, Known) and isinstance(value.value, np.ndarray)
    )


def shares(value: Any, old: Value) -> bool:
    """Whether a value is another, or may hold its memory."""
    if value is old:
        return True
    match value:
        case Array():
            return isinstance(old, Array) and value.buffer == old.buffer
        case Known(value=object_):
            mine = isinstance(object_, np.ndarray)
            return mine and isinstance(old, Known) and bool(np.shares_memory(object_, old.value))
        case Tuple(items=items) | ListValue(items=items):
            return any(shares(item, old) for item in items)
        case DictValue(items=items):
            return any(shares(item, old) for item in items.values())
        case Table(columns=columns):
            return any(shares(column, old) for column in columns.values())
    return False
