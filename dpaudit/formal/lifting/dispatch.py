"""Which function lifts which node of the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from dpaudit.formal.lifting.scope import Scope
from dpaudit.formal.program import Expression

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
    found = _EXPRESSIONS.get(type(node))
    if found is None:
        raise scope.refuse(_WORDS.get(type(node), type(node).__name__), node)
    return found(node, scope)
