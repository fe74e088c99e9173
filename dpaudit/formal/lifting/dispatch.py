"""Which function lifts which node of the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from dpaudit.formal.lifting.folding import chosen, replaced, tells
from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.lifting.shapes import LearnedError
from dpaudit.formal.program import UNREAD, Call, Constant, Expression
from dpaudit.formal.unsupported import Unsupported

_F = TypeVar("_F", bound=Callable[..., Any])
_EXPRESSIONS: dict[type, Callable[[Any, Scope], Expression]] = {}
_WORDS = {
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
}


def lifts(*kinds: type) -> Callable[[_F], _F]:
    """Say that a function lifts expressions of these kinds."""

    def registered(function: _F) -> _F:
        _EXPRESSIONS.update(dict.fromkeys(kinds, function))
        return function

    return registered


def expression(node: ast.expr, scope: Scope) -> Expression:
    """Return an expression of the program for one of the source, which is no object."""
    lifted = reference(node, scope)
    refuse_held((lifted,), node, scope)
    return lifted


def refuse_held(values: tuple[Expression, ...], node: ast.AST, scope: Scope) -> None:
    """Raise where an object, or what holds some, would reach code that takes it for a value."""
    for value in values:
        shape = scope.lifter.shape_of(value)
        if shape is not None:
            raise scope.refuse(f"{shape.said} as a value", node)


def reference(node: ast.expr, scope: Scope) -> Expression:
    """Return an expression of the program for one of the source, which may be an object."""
    constant = replaced(node, scope)
    if constant is not None:
        return Constant(scope.place(node), constant.value)
    node = chosen(node, scope)
    found = _EXPRESSIONS.get(type(node))
    if found is None:
        raise scope.refuse(_WORDS.get(type(node), type(node).__name__), node)
    return found(node, scope)


def unread(why: Unsupported, node: ast.AST, scope: Scope) -> Call:
    """Return a call that stands for code that cannot be read, where a run need not come to it.

    No way of reasoning knows a function of this name: a run that comes to it is refused.

    Raises
    ------
    Unsupported
        Where the code says more of the function around it than what it does itself.
    """
    if isinstance(why, LearnedError) or tells(node):
        raise why
    scope.lifter.unread += 1
    return Call(why.place or scope.place(node), f"{UNREAD} ({why.what})", ())


def expression_if_run(node: ast.expr, scope: Scope) -> Expression:
    """Return an expression that need not be evaluated: it may be one that cannot be read."""
    try:
        return expression(node, scope)
    except Unsupported as why:
        return unread(why, node, scope)
