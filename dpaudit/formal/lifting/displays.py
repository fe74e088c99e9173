"""Displays of objects: what stands for their items, and what the rounds of a loop are given."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

from dpaudit.formal.lifting.flow_syntax import bound_names

MOST = 12
AS_IN_PYTHON = "·python·"  # before the name of a builtin that must not be replaced
Displays = dict[str, ast.expr]
Round = dict[str, ast.expr]  # what each variable of a loop stands for


def is_display(node: ast.AST) -> bool:
    """Return whether a node is a display of a few items, the keys of a dict texts or numbers."""
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        plain = all(type(key) is type(keys[0]) and type(key) in (str, int) for key in keys)
        whole = plain and len(set(keys)) == len(node.keys)
        return whole and 0 < len(keys) <= MOST
    if not isinstance(node, ast.List | ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return False
    starred = any(isinstance(part, ast.Starred) for part in leaves(node))
    return 0 < len(node.elts) <= MOST and not starred


def leaves(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the items of a display, those of the tuples in it one by one."""
    items = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    for item in items:
        if isinstance(item, ast.Tuple):
            yield from leaves(item)
        else:
            yield item


def parts_of(name: str, value: ast.expr) -> list[Any]:
    """Return what stands for the items of a display: constants, variables, or lists of such."""
    items = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    found: list[Any] = []
    for at, item in enumerate(items):
        if isinstance(item, ast.Tuple):
            found.append(parts_of(f"{name}·{at}", item))
        elif isinstance(item, ast.Constant):
            found.append(item)
        else:
            found.append(placed(ast.Name(f"{name}·{at}", ast.Load()), item))
    return found


def assigned(name: str, value: ast.expr) -> Iterator[ast.stmt]:
    """Yield the assignments of the items of a display that are no constants, in their order."""
    items = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    for at, item in enumerate(items):
        if isinstance(item, ast.Tuple):
            yield from assigned(f"{name}·{at}", item)
        elif not isinstance(item, ast.Constant):
            to = ast.Name(f"{name}·{at}", ast.Store())
            yield placed(ast.Assign([to], item), item)


def rounds_of(node: ast.expr, displays: Displays) -> tuple[list[Any], set[str]] | None:
    """Return what each round of a loop over an expression is given, and the displays it names."""

    def of(node: ast.expr, kinds: Any) -> Any:
        name = node.id if isinstance(node, ast.Name) else ""
        return parts_of(name, displays[name]) if isinstance(displays.get(name), kinds) else None

    listed = (ast.List, ast.Tuple)
    match node:
        case ast.Name(id=name) if of(node, listed) is not None:
            return of(node, listed), {name}
        case ast.Name(id=name) if of(node, ast.Dict) is not None:
            return list(displays[name].keys), {name}  # type: ignore[attr-defined]
        case ast.Call(func=ast.Attribute(ast.Name(id=name) as held, attr), args=[], keywords=[]):
            values = of(held, ast.Dict)
            if values is not None and attr == "values":
                return values, {name}
            if values is not None and attr == "items":
                keys = displays[name].keys  # type: ignore[attr-defined]
                return [[k, v] for k, v in zip(keys, values, strict=True)], {name}
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *begin], keywords=[]):
            inside = rounds_of(inner, displays)
            first = begin[0].value if begin and isinstance(begin[0], ast.Constant) else None
            start = 0 if not begin else first if type(first) is int else None
            if inside is not None and start is not None and len(begin) < 2:
                pairs = enumerate(inside[0], start)
                return [[placed(ast.Constant(i), node), part] for i, part in pairs], inside[1]
        case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as every, keywords=keywords):
            found = [one for part in every if (one := rounds_of(part, displays)) is not None]
            alike = len({len(rows) for rows, _ in found}) == 1
            if len(found) == len(every) and (is_lenient(keywords) or alike):
                columns = zip(*(rows for rows, _ in found), strict=False)
                return list(map(list, columns)), {n for _, names in found for n in names}
    return None


def is_lenient(keywords: list[ast.keyword]) -> bool:
    """Return whether a call of ``zip`` stops at the shortest."""
    return all(k.arg == "strict" and _is_false(k.value) for k in keywords)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def round_of(target: ast.expr, part: Any) -> Round | None:
    """Return what each variable of a target stands for, None where they do not fit."""
    if isinstance(target, ast.Name):
        return None if isinstance(part, list) else {target.id: part}
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if not isinstance(part, list) or len(parts) != len(part):
        return None
    found: Round = {}
    for one, each in zip(parts, part, strict=True):
        inner = round_of(one, each)
        if inner is None or inner.keys() & found.keys():
            return None
        found |= inner
    return found


def looked_up(node: ast.Subscript | ast.Call, displays: Displays) -> str:
    """Return the display of which a known item is looked up, or that is counted; else nothing."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
            return name if name in displays else ""
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Load()) if name in displays:
            return name if not isinstance(item_of(node, displays), list | None) else ""
    return ""


def item_of(node: ast.Subscript, displays: Displays) -> Any:
    """Return what stands for a known item of a display."""
    assert isinstance(node.value, ast.Name)
    held, parts = displays[node.value.id], parts_of(node.value.id, displays[node.value.id])
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if isinstance(held, ast.Dict):
        keys = [k.value for k in held.keys if isinstance(k, ast.Constant)]
        fits = type(key) is type(keys[0]) and key in keys
        return parts[keys.index(key)] if fits else None
    return parts[key] if type(key) is int and 0 <= key < len(parts) else None


def makes_object(node: ast.expr) -> bool:
    """Return whether a call is written as classes are, ``Laplace(1)`` or ``Laplace.of(1)``."""
    called: ast.expr | None = node.func if isinstance(node, ast.Call) else None
    while isinstance(called, ast.Attribute):
        if called.attr[:1].isupper():
            return True
        called = called.value
    return isinstance(called, ast.Name) and called.id[:1].isupper()


def holds_objects(node: ast.expr, made: set[str]) -> bool:
    """Return whether a display holds objects: calls that make one, or variables that hold one."""
    return is_display(node) and any(
        makes_object(leaf) or (isinstance(leaf, ast.Name) and leaf.id in made)
        for leaf in leaves(node)
    )


def binds(node: ast.AST, names: set[str]) -> bool:
    """Return whether a piece of source binds one of several names."""
    return any(bound_names(n) & names for n in ast.walk(node))


def placed(node: Any, of: ast.AST) -> Any:
    """Return a new node at the place of another one."""
    return ast.fix_missing_locations(ast.copy_location(node, of))


class _Filling(ast.NodeTransformer):
    def __init__(self, held: Round) -> None:
        self.held = held

    def visit_Name(self, node: ast.Name) -> Any:
        """Return what a variable stands for where it is read."""
        part = self.held.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if part is None else placed(copy.deepcopy(part), node)


def filled(node: Any, held: Round) -> Any:
    """Return a copy with expressions in place of variables."""
    return _Filling(held).visit(copy.deepcopy(node))
