"""Loops over records: the body is read once, for a record that stands for all of them.

A variable that the body only adds to (or takes the larger or the smaller of) ends as the sum (the
maximum, the minimum) over all records of what each adds; a list that it appends to has an entry a
record. Everything else that outlives an iteration is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.formal import program as ir
from dpaudit.formal.assign import assign, check_unboxed
from dpaudit.formal.calls import apply
from dpaudit.formal.dependence import is_public
from dpaudit.formal.domain import Array, ListValue, Value
from dpaudit.formal.program import Place
from dpaudit.formal.record_bodies import Body, element_of, entries_of, rows_of
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


def over_records(walk: Walk, node: ir.For, iterable: Value) -> None:
    """Run a loop over records."""
    rows = rows_of(iterable)
    assert rows is not None
    if node.otherwise:
        raise Unsupported("`else` of a loop over records", node.place)
    frame = walk.frames[-1]
    before = dict(frame.variables)
    names = _changed(node.body)
    carried = {name for name in names if name in before}
    body = Body(walk, rows, node.place, carried)
    hidden = {name: frame.variables.pop(name) for name in carried}
    walk.private.append((iterable, node.place))
    try:
        assign(walk, node.target, element_of(iterable))  # type: ignore[arg-type]
        body.run(node.body, None)
    finally:
        walk.private.pop()
    _forbid_conditional(node.body, body.conditional, node.place)
    frame.variables = {k: v for k, v in before.items() if k not in hidden}
    for name, value in hidden.items():
        check_unboxed(walk, value, node.place)
        frame.variables[name] = _after(body, name, value)


def _after(body: Body, name: str, before: Value) -> Value:
    """Return what a variable holds when the loop is over."""
    place, value = body.place, before
    for term in body.added.get(name, ()):
        total = body.call("builtins.sum", [entries_of(body, term)], place)
        value = body.call("operator.add", [value, total], place)
    if name in body.extremes:
        which, entries = body.extremes[name]
        largest = "numpy.max" if which == "builtins.max" else "numpy.min"
        for entry, mask in entries:
            if isinstance(entry, Array) and entry.nan:
                raise body.refuse("NaN in a running maximum", place)
            if mask is not None:
                if not is_public(before):
                    raise body.refuse("a running maximum of some records", place)
                entry = body.call("numpy.where", [mask, entry, before], place)
            given: dict[str, Value] = {"initial": value}
            value = apply(body.walk, largest, [entries_of(body, entry)], given, place)
    for entry, mask in body.appended.get(name, ()):
        if not isinstance(before, ListValue) or before.items:
            raise body.refuse(f"`{name}`, which is not an empty list before,", place)
        listed = entries_of(body, entry)
        if mask is not None:
            from dpaudit.formal.indexing import item

            listed = item(body.walk, listed, entries_of(body, mask), place)
        value = replace(listed, container="list", dtype="") if isinstance(listed, Array) else listed
    return value


def comprehension_over_records(walk: Walk, node: ir.Comprehension, iterable: Value) -> Value:
    """Return ``[f(record) for record in data if test(record)]``."""
    if len(node.clauses) != 1 or node.kind not in ("list", "generator"):
        raise Unsupported(f"a {node.kind} comprehension over records", node.place)
    target, _, conditions = node.clauses[0]
    rows = rows_of(iterable)
    assert rows is not None
    body = Body(walk, rows, node.place, set())
    walk.private.append((iterable, node.place))
    try:
        assign(walk, target, element_of(iterable))  # type: ignore[arg-type]
        mask: Value | None = None
        for condition in conditions:
            test = walk.evaluate(condition)
            if not (isinstance(test, Array) and test.element and test.boolean):
                raise body.refuse("a condition that is no test of the record", condition.place)
            mask = body._both(mask, test, condition.place)
        entry = walk.evaluate(node.element)
    finally:
        walk.private.pop()
    listed = entries_of(body, entry)
    if mask is not None:
        from dpaudit.formal.indexing import item

        listed = item(walk, listed, entries_of(body, mask), node.place)
    if not isinstance(listed, Array):
        return listed
    return replace(listed, container="list", dtype="" if listed.kind == "number" else listed.dtype)


def _changed(body: tuple[ir.Statement, ...]) -> set[str]:
    """Return the variables that statements change."""
    names: set[str] = set()
    for statement in body:
        for node in ir.walk(statement):
            match node:
                case ir.Assign(target=target) | ir.Update(target=target):
                    names |= {n.id for n in ir.walk(target) if isinstance(n, ir.Name)}
                case ir.Named(target=target):
                    names.add(target.id)
                case ir.Call(function=str() as function, arguments=(ir.Name(id=name), *_)):
                    if function.removeprefix("method.") in _MUTATING and "method." in function:
                        names.add(name)
    return names


_MUTATING = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "sort",
})  # fmt: skip


def _forbid_conditional(body: tuple[ir.Statement, ...], names: set[str], place: Place) -> None:
    """Refuse variables that only some iterations set: others may see what an earlier one left."""
    for name in names:
        uses = sum(
            isinstance(node, ir.Name) and node.id == name
            for statement in body
            for node in ir.walk(statement)
        )
        if uses > 1:
            what = f"`{name}`, which only some records set, in a loop over records"
            raise Unsupported(what, place)
