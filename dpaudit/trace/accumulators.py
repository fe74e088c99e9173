"""Statements that set variables: those that begin an accumulator, and those that fill it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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


def names_set(statement: ast.stmt) -> set[str]:
    """Return the variables to which a statement gives a value, or an entry.

    Parameters
    ----------
    statement : stmt
    """
    match statement:
        case ast.Assign(targets=targets):
            return {name for each in targets for name in _held(each)}
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target):
            return set(_held(target))
    return set()


def _held(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for each in parts:
                yield from _held(each)
        case ast.Subscript(value=value):
            yield from _held(value)


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


def filled(statement: ast.stmt) -> set[str]:
    """Return the texts of what a statement puts something into.

    Parameters
    ----------
    statement : stmt
    """
    match statement:
        case ast.AugAssign(target=target):
            return set(_around(target))
        case ast.Assign(targets=targets, value=value):
            entries = {t for each in targets if isinstance(each, ast.Subscript)
                       for t in _around(each)}  # fmt: skip
            again = {ast.unparse(each) for each in targets}
            return entries | {
                read for n in ast.walk(value) if isinstance(n, ast.Name | ast.Attribute)
                and (read := ast.unparse(n)) in again
            }  # fmt: skip
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=into, attr=name))):
            return set(_around(into)) if name in FILLING else set()
    return set()


def _around(target: ast.expr) -> Iterator[str]:
    """Yield what is set, and what that is an entry of."""
    yield ast.unparse(target)
    while isinstance(target, ast.Subscript):
        target = target.value
        yield ast.unparse(target)
