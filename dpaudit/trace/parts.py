"""Parts of statements: what they set and to what, what only names something, where they stand."""

from __future__ import annotations

import ast

from dpaudit.trace.accumulators import named

_CASTS = frozenset({"float", "int", "asarray", "array", "float64"})
_RELABELS = frozenset(
    {"astype", "to_numpy", "tolist", "copy", "reindex", "reset_index", "fillna", "item", "rename"}
)


def head(node: ast.AST) -> ast.stmt | None:
    """Return a simple statement, or what one with a body computes before it."""
    match node:
        case ast.If(test=value) | ast.While(test=value) | ast.For(iter=value):
            return ast.copy_location(ast.Expr(value), value)
        case ast.stmt() if not hasattr(node, "body"):
            return node
    return None


def around(function: ast.FunctionDef, statement: ast.stmt) -> list[ast.If | ast.For | ast.While]:
    """Return the branches and loops of a function that have a statement in them, innermost first.

    Parameters
    ----------
    function : FunctionDef
    statement : stmt
    """
    found = [
        node for node in ast.walk(function)
        if isinstance(node, ast.If | ast.For | ast.While)
        and any(s.lineno <= statement.lineno <= (s.end_lineno or 0)
                for s in (*node.body, *node.orelse))
    ]  # fmt: skip
    return sorted(found, key=lambda node: -node.lineno)


def is_reference(value: ast.expr) -> bool:
    """Whether an expression only names a value, an attribute or an entry."""
    match converted(value):
        case ast.Name():
            return True
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return is_reference(inner)
    return False


def lines_of(node: ast.stmt | ast.expr) -> range:
    """Return the lines that a node stands on."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def parameters(function: ast.FunctionDef) -> set[str]:
    """Return the names of a function's parameters."""
    given = function.args
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def converted(value: ast.expr) -> ast.expr:
    """Return what is only given another type, or other labels."""
    while True:
        match value:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _RELABELS:
                value = inner
            case ast.Call(func=function, args=[inner], keywords=[]) if named(function) in _CASTS:
                value = inner
            case _:
                return value


def is_key(index: ast.expr) -> bool:
    """Whether an index is a written name, as of a table."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def target_of(statement: ast.stmt) -> ast.expr | None:
    """Return what a statement sets, if that is one thing."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return target
    return None


def value_of(statement: ast.stmt) -> ast.expr:
    """Return the expression of a statement, on its line."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return value
        case ast.AugAssign():
            # What is added is one part of it: the statement forms the sum.
            return ast.copy_location(
                ast.BinOp(statement.target, statement.op, statement.value), statement
            )
        case ast.Expr(value=value):
            return value
    return ast.copy_location(ast.Constant(None), statement)
