"""Statements that set variables: those that begin an accumulator, and those that fill it."""

from __future__ import annotations

import ast

_SIZED = frozenset({"zeros", "empty", "zeros_like", "empty_like", "defaultdict"})
_EMPTY = frozenset({"dict", "list", "set", "Counter", "OrderedDict", "deque"})
FILLING = frozenset({"append", "add", "extend", "update", "insert", "setdefault", "appendleft"})


def named(function: ast.expr) -> str:
    """Return the last name of what is called.

    Parameters
    ----------
    function : expr
    """
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=inner):
            return named(inner)
    return ""


def sets(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a variable a value, or an entry of it.

    Parameters
    ----------
    statement : stmt
    name : str
    """
    match statement:
        case ast.Assign(targets=targets):
            return any(_is_of(each, name) for each in targets)
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target):
            return _is_of(target, name)
    return False


def _is_of(target: ast.expr, name: str) -> bool:
    match target:
        case ast.Name(id=held):
            return held == name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_is_of(each, name) for each in parts)
        case ast.Subscript(value=value):
            return _is_of(value, name)
    return False


def begins(statement: ast.stmt) -> bool:
    """Whether a statement sets a variable to what holds nothing yet.

    Parameters
    ----------
    statement : stmt
    """
    match statement:
        case (
            ast.Assign(targets=[ast.Name() | ast.Attribute()], value=value)
            | ast.AnnAssign(value=ast.expr() as value)
        ):
            return _is_empty(value)
    return False


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=0 | 0.0 | None):
            return True
        case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Tuple(elts=[]):
            return True
        case ast.BinOp(left=ast.List(elts=[inner]), op=ast.Mult()):
            return _is_empty(inner)
        case ast.DictComp(value=inner) | ast.ListComp(elt=inner):
            return _is_empty(inner)
        case ast.Call(func=function, args=given):
            name = named(function)
            return name in _SIZED or (name in _EMPTY and not given)
    return False


def fills(statement: ast.stmt, key: str) -> bool:
    """Whether a statement puts something into what a text names.

    Parameters
    ----------
    statement : stmt
    key : str
    """
    match statement:
        case ast.AugAssign(target=target):
            return _is_in(target, key)
        case ast.Assign(targets=targets, value=value):
            again = any(ast.unparse(each) == key for each in targets)
            reads = any(ast.unparse(n) == key for n in ast.walk(value) if isinstance(n, ast.expr))
            entry = any(isinstance(t, ast.Subscript) and _is_in(t, key) for t in targets)
            return entry or (again and reads)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=into, attr=name))):
            return name in FILLING and _is_in(into, key)
    return False


def _is_in(target: ast.expr, key: str) -> bool:
    while isinstance(target, ast.Subscript) and ast.unparse(target) != key:
        target = target.value
    return ast.unparse(target) == key
