"""Displays of objects that stand in loops and comprehensions, named by the statement before.

``for m in (Sum(1), Count(2))`` becomes ``held = (Sum(1), Count(2))`` and ``for m in held``, where a
statement evaluates the display before all else.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

from dpaudit.formal.lifting.displays import (
    MOST,
    binds,
    filled,
    holds_objects,
    is_display,
    makes_object,
    placed,
)

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def name_displays(block: list[ast.stmt], made: set[str], local: set[str]) -> None:
    """Give names to the displays of objects that the statements of a block begin with."""
    for statement in list(block):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            statement.value = _each(statement.value)
        for holder in _beginning(statement, local):
            through, given = holder.iter, getattr(holder.iter, "args", [])
            through = _each(through)
            names: dict[int, ast.expr] = {}
            for part in (through, *given, *_of_method(through)):
                names[id(part)] = part
            parts = [part for part in names.values() if is_display(part)]
            plain = all(isinstance(g, ast.Name | ast.Constant) or is_display(g) for g in given)
            held = any(holds_objects(part, made) for part in parts)
            held = held or any(isinstance(g, ast.Name) and g.id in made for g in given)
            if not parts or not plain or not held or not _is_read_here(through):
                continue
            for part in parts:
                name = f"held·{part.lineno}·{part.col_offset}"
                begun = ast.Assign([ast.Name(name, ast.Store())], copy.copy(part))
                block.insert(block.index(statement), placed(begun, part))
                through = _put(through, part, placed(ast.Name(name, ast.Load()), part))
            holder.iter = through


def _is_read_here(node: ast.expr) -> bool:
    """Return whether an iterable is a display, or one of the calls that `rounds_of` knows."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), keywords=keywords):
            return all(k.arg == "strict" and isinstance(k.value, ast.Constant) for k in keywords)
        case ast.Call(func=ast.Name(id="enumerate"), keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="items" | "values"), args=[], keywords=[]):
            return True
    return not isinstance(node, ast.Call)


def _of_method(node: ast.expr) -> list[ast.expr]:
    called = node.func if isinstance(node, ast.Call) else None
    return [called.value] if isinstance(called, ast.Attribute) else []


def _beginning(statement: ast.stmt, local: set[str]) -> Iterator[Any]:
    """Yield the loop that a statement is, or the clause of the comprehension it evaluates first.

    What a local variable holds is not looked at before: a constructor may change its attributes.
    """
    if isinstance(statement, ast.For):
        yield statement
        return
    node = getattr(statement, "value", None)
    plain = isinstance(statement, ast.Return | ast.Assign | ast.AnnAssign)
    while plain and isinstance(node, ast.Call) and node.args and _is_global(node.func, local):
        node = node.args[0]
    if plain and isinstance(node, _COMPREHENSIONS):
        yield node.generators[0]


def _is_global(node: ast.expr, local: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id not in local
    return isinstance(node, ast.Attribute) and _is_global(node.value, local)


def _each(node: ast.expr) -> ast.expr:
    """Return ``[E(x) for x in (1, 2)]`` as the display that it is, any other expression as it is.

    What a loop over constants, or over a range of them, makes is made in their order.
    """
    if (
        not isinstance(node, ast.ListComp)
        or len(node.generators) != 1
        or not makes_object(node.elt)
    ):
        return node
    (clause,) = node.generators
    target, values = clause.target, _constants(clause.iter)
    inside = [part for part in ast.walk(node.elt) if isinstance(part, _FUNCTIONS)]
    if clause.ifs or not isinstance(target, ast.Name) or not values or inside:
        return node
    if binds(node.elt, {target.id}):
        return node
    items = [filled(node.elt, {target.id: value}) for value in values]
    return ast.copy_location(ast.List(items, ast.Load()), node)


def _constants(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(n))], keywords=[]):
            return [ast.copy_location(ast.Constant(i), node) for i in range(n if n <= MOST else 0)]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts if all(isinstance(part, ast.Constant) for part in parts) else []
    return []


def _put(node: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """Return an expression with another one in place of a part."""
    if node is old:
        return new
    if isinstance(node, ast.Call):
        args = [new if each is old else each for each in node.args]
        called = node.func
        if isinstance(called, ast.Attribute) and called.value is old:
            called = ast.copy_location(ast.Attribute(new, called.attr, called.ctx), called)
        return ast.copy_location(ast.Call(called, args, node.keywords), node)
    return node
