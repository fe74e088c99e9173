"""Loops that draw one of a few values until it passes a test.

``while y == x: y = random.choice(values)`` leaves y distributed as the draw is, given that it
passes: each round draws anew, and nothing else changes between rounds (J. von Neumann 1951).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.checker.exact.drawn import Drawn
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.paths import Path, every_path
from dpaudit.checker.exact.shared import Shared
from dpaudit.checker.file import NotCheckedError

_DRAWS = frozenset({"choice", "integers", "randbelow", "randint", "randrange"})
_FEW = 10_000


def without_rejection(loop: ast.While) -> list[ast.stmt] | None:
    """Return what stands for a loop that only draws and tests, None for any other.

    Parameters
    ----------
    loop : While
    """
    if loop.orelse:
        return None
    always = isinstance(loop.test, ast.Constant) and loop.test.value is True
    match loop.body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=drawn)]:
            again: ast.expr = ast.UnaryOp(ast.Not(), loop.test)
        case [
            ast.Assign(targets=[ast.Name(id=name)], value=drawn),
            ast.If(test=passes, body=[ast.Return(value=ast.Name(id=result)) as end], orelse=[]),
        ] if always and result == name:
            again, always = passes, True
        case _:
            return None
    if not _is_drawn(drawn, name) or not _is_test(again):
        return None
    first = loop.body[0]
    assert isinstance(first, ast.Assign)
    one = ast.arguments([], [ast.arg(name)], kwonlyargs=[], kw_defaults=[], defaults=[])
    none = ast.arguments([], [], kwonlyargs=[], kw_defaults=[], defaults=[])
    called = ast.Call(
        ast.Name("_dpaudit_again", ast.Load()),
        [ast.Lambda(none, drawn), ast.Lambda(one, again)],
        [],
    )
    assigned = ast.copy_location(ast.Assign(first.targets, called), loop)
    if always and len(loop.body) == 2:
        return [assigned, end]
    if always:
        return None
    return [ast.copy_location(ast.If(loop.test, [assigned], []), loop)]


def _is_drawn(node: ast.expr, name: str) -> bool:
    """Return whether an expression is one draw from a few values, or an item at a drawn place."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id != name and _is_drawn(node.slice, name)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    inside = [*node.args, *(keyword.value for keyword in node.keywords)]
    plain = all(_is_plain(part) for part in inside)
    reads = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
    return node.func.attr in _DRAWS and _is_plain(node.func.value) and plain and not reads


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        length = isinstance(node.func, ast.Name) and node.func.id == "len" and not node.keywords
        return length and all(map(_is_plain, node.args))
    if isinstance(node, ast.BinOp | ast.Attribute | ast.List | ast.Tuple):
        return all(_is_plain(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
    return isinstance(node, ast.Name | ast.Constant)


def _is_test(node: ast.expr) -> bool:
    """Return whether an expression compares variables, and does no more."""
    allowed = (
        ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Constant, ast.cmpop, ast.boolop,
        ast.unaryop, ast.expr_context,
    )  # fmt: skip
    return all(isinstance(part, allowed) for part in ast.walk(node))


def drawn_again(shared: Shared, draw: Callable[[], Any], passes: Callable[[Any], Any]) -> Any:
    """Return a draw, given that it passes a test.

    Parameters
    ----------
    shared : Shared
    draw : callable
    passes : callable
    """
    generator = shared.generator
    if generator is None:
        raise NotCheckedError("not checked: draws before the mechanism runs")
    outer = generator.path
    values, weights = [], []

    def once(path: Path) -> Any:
        generator.path = path
        found = draw()
        if isinstance(found, Drawn):
            found = int(found)
        if not isinstance(found, bool | int | str | np.integer | np.str_):
            raise NotCheckedError("not checked: a draw that is rejected, of this kind")
        return found

    try:
        for weight, value in every_path(once, outer.work, most=_FEW):
            generator.path = outer
            if passes(value):
                values.append(value)
                weights.append(weight)
    finally:
        generator.path = outer
    if not values:
        raise NotCheckedError("not checked: a loop that no draw ends")
    total = sum(weights, Number(Fraction(0)))
    return values[outer.choose([weight / total for weight in weights])]
