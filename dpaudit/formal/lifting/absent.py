"""Parameters that nothing is passed for, and whose default is None: what takes the place of None.

``p = p or E``, ``p = E if p is None else p`` and ``if p is None: p = E`` are ``p = E`` where they
stand at the top of the function's body and nothing before them assigns p.
"""

from __future__ import annotations

import ast
import copy

from dpaudit.formal.lifting.source import Defined

_BINDING = (
    ast.Nonlocal,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
)


def settled(tree: Defined, absent: frozenset[str]) -> Defined:
    """Return a function without the tests whether parameters are None that are None.

    Parameters
    ----------
    tree : FunctionDef, AsyncFunctionDef or Lambda
    absent : frozenset of str
        Parameters that are None when the body begins.
    """
    if isinstance(tree, ast.Lambda) or not absent:
        return tree
    body: list[ast.stmt] = []
    left = set(absent)
    for statement in tree.body:
        body += _settled(statement, left)
        parts = list(ast.walk(statement))
        left -= {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        if any(isinstance(n, _BINDING) for n in parts):  # names that are no nodes
            left.clear()
    changed = copy.copy(tree)
    changed.body = body
    return changed


def _settled(statement: ast.stmt, names: set[str]) -> list[ast.stmt]:
    if isinstance(statement, ast.If):
        told = _is_none(statement.test, names)
        return [statement] if told is None else statement.body if told else statement.orelse
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return [statement]
    value = _value(statement.value, names)
    if value is None:
        return [statement]
    changed = copy.copy(statement)
    changed.value = value
    return [changed]


def _value(node: ast.expr, names: set[str]) -> ast.expr | None:
    """Return what an expression of parameters that are None yields; None where that is not told."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _is(node.values[0], names):
        rest = copy.copy(node)
        rest.values = node.values[1:]
        return rest if len(rest.values) > 1 else rest.values[0]
    if isinstance(node, ast.IfExp):
        told = _is_none(node.test, names)
        return None if told is None else node.body if told else node.orelse
    return None


def _is_none(test: ast.expr, names: set[str]) -> bool | None:
    """Return what a test says that only asks whether a parameter is None, None for others."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _is(test.operand, names):
        return True
    if _is(test, names):
        return False
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is(test.left, names):
        right, operator = test.comparators[0], test.ops[0]
        if isinstance(right, ast.Constant) and right.value is None:
            return {ast.Is: True, ast.IsNot: False, ast.Eq: True, ast.NotEq: False}.get(
                type(operator)
            )
    return None


def _is(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names
