"""Partial functions, and variables that stand for code: a call names the code that runs."""

from __future__ import annotations

import ast

from dpaudit.formal.lifting.folding import chosen, has_stars, is_idle, stays
from dpaudit.formal.lifting.scope import Scope, resolve


def applied_partial(node: ast.Call, scope: Scope) -> ast.Call | None:
    """Return the call of a function that `functools.partial` gave arguments to, with all of them.

    Parameters
    ----------
    node : Call
    scope : Scope

    Returns
    -------
    Call or None
        None of any other call, and where a keyword takes the place of one that was given.
    """
    made = node.func
    if not _is_partial(made, scope):
        return None
    assert isinstance(made, ast.Call)
    names = [keyword.arg for keyword in (*made.keywords, *node.keywords)]
    first, *given = made.args
    if None in names or len(set(names)) < len(names) or has_stars(made):
        return None
    every = [*given, *node.args], [*made.keywords, *node.keywords]
    return ast.copy_location(ast.Call(first, *every), node)


def _is_partial(node: ast.expr, scope: Scope) -> bool:
    live = resolve(node.func, scope) if isinstance(node, ast.Call) and node.args else None
    return live is not None and live.name == "functools.partial"


def reference_kept(name: str, value: ast.expr, scope: Scope) -> ast.expr | None:
    """Return the code that a variable stands for: a method, a partial function, a table of such.

    What it names stays what it is for as long as the variable is known to stand for it: the scope
    forgets the one with the other.
    """
    value = chosen(value, scope)
    if isinstance(value, ast.Dict):
        idle = all(stays(each, scope) for each in value.values)
        return value if idle and name in scope.only_read else None
    if _is_partial(value, scope):
        assert isinstance(value, ast.Call)
        given = (*value.args, *(keyword.value for keyword in value.keywords))
        return value if all(stays(each, scope) for each in given) else None
    return value if isinstance(value, ast.Attribute) and is_idle(value, scope) else None
