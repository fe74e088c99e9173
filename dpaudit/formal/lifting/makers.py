"""Functions of a module that make a container: what each call returns, nothing else holds.

Such a function returns a display, or a variable that it gives one new container and else only reads
or fills: ``out = []``, ``out.append(…)``, ``out[key] = …``, ``return out``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.formal.lifting.only_read import Uses

_FILLING = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})


def makes_new(uses: Uses, called: ast.expr) -> bool:
    """Return whether a call of a function of the user's returns a container that is new.

    Parameters
    ----------
    uses : Uses
        Of the module of the call.
    called : expr
    """
    home, name = uses, called.id if isinstance(called, ast.Name) else ""
    module, _, last = (uses.library(called) or "").rpartition(".")
    if module:
        found = uses.foreign(module)
        if found is None:
            return False
        home, name = found, last
    match home.bound(name):
        case [ast.FunctionDef(decorator_list=[]) as node] if node in home.tree.body:
            return not home.hides() and _returns_new(home, node)
    return False


def _returns_new(uses: Uses, node: ast.FunctionDef) -> bool:
    own = [part for part in ast.walk(node) if uses.function_of(part) is node]
    if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for n in own):
        return False
    returns = [part for part in own if isinstance(part, ast.Return)]
    return bool(returns) and all(
        r.value is not None and _is_new(uses, r.value, node) for r in returns
    )


def _is_new(uses: Uses, value: ast.expr, function: ast.FunctionDef) -> bool:
    if not isinstance(value, ast.Name):
        return uses.makes_container(value)
    inside = set(ast.walk(function))
    bound = [node for node in uses.bound(value.id) if node in inside]
    made = [uses.parent(n) for n in bound if not isinstance(uses.parent(n), ast.AugAssign)]
    match made:
        case [ast.Assign(targets=[ast.Name()], value=new)] | [
            ast.AnnAssign(value=ast.expr() as new)
        ]:
            if isinstance(new, ast.Name) or not uses.makes_container(new):
                return False
        case _:
            return False
    loads = [n for n in uses.uses_of(value.id) if n in inside and n not in bound]
    return all(_keeps_apart(uses, use, function) for use in loads)


def _keeps_apart(uses: Uses, use: ast.AST, function: ast.FunctionDef) -> bool:
    """Return whether a use of a new container reads, fills or returns it."""
    parent = uses.parent(use)
    if uses.function_of(use) is function:
        match parent:
            case ast.Return():
                return True
            case ast.Subscript(value=value, ctx=ast.Store()):
                return value is use
            case ast.Attribute(attr=method) if method in _FILLING:
                call = uses.parent(parent)
                statement = isinstance(uses.parent(call), ast.Expr) if call else False
                return isinstance(call, ast.Call) and call.func is parent and statement
    return uses.is_read(use, "keyed")
