"""A generator expression that a function goes through first, and once, is as good as a list.

The list draws all noise beforehand, and all of it: draws are independent, so that neither their
order nor those that nobody looks at change what comes out. What the values depend on must not
change before they are asked for, and they must be asked for on every way: a value that nobody asks
for raises nothing.
"""

from __future__ import annotations

import ast
import types
from dataclasses import replace

from dpaudit.formal.lifting.source import source_of
from dpaudit.formal.program import Closure, Comprehension, Constant, Expression, Generator, Name

_READERS = frozenset({"dict", "list", "max", "min", "sorted", "sum", "tuple"})
_STILL = (Closure, Constant, Generator, Name)  # raise nothing and change nothing
_STRAIGHT = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_IN_ORDER = (
    ast.BinOp, ast.Call, ast.Compare, ast.keyword, ast.List, ast.Subscript, ast.Tuple, ast.UnaryOp,
)  # fmt: skip
_NAMES_ONLY = (ast.Constant, ast.Name, ast.expr_context, ast.operator, ast.cmpop, ast.unaryop)


def listed(
    function: types.FunctionType,
    positional: tuple[Expression, ...],
    keywords: tuple[tuple[str, Expression], ...],
) -> tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]:
    """Return the arguments of a call, lists in place of generators that it goes through once.

    Parameters
    ----------
    function : function
    positional : tuple of Expression
    keywords : tuple of (str, Expression)

    Raises
    ------
    Unsupported
        Where there is a generator, and no source of the function.
    """
    if not any(map(_is_generator, (*positional, *(value for _, value in keywords)))):
        return positional, keywords
    tree = source_of(function.__code__).tree
    own = {*function.__globals__, *function.__code__.co_varnames, *function.__code__.co_freevars}
    every = (*positional, *(value for _, value in keywords))
    still = all(isinstance(value, _STILL) or _is_generator(value) for value in every)
    if own & {"enumerate", *_READERS} or not still:
        return positional, keywords
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    first = [
        _as_list(value) if at < len(names) and _is_read_once(tree, names[at]) else value
        for at, value in enumerate(positional)
    ]
    rest = [(n, _as_list(value) if _is_read_once(tree, n) else value) for n, value in keywords]
    return tuple(first), tuple(rest)


def _is_generator(value: Expression) -> bool:
    return isinstance(value, Comprehension) and value.kind == "generator"


def _as_list(value: Expression) -> Expression:
    if isinstance(value, Comprehension) and value.kind == "generator":
        return replace(value, kind="list")
    return value


def _is_read_once(tree: ast.AST, name: str) -> bool:
    """Return whether a function names a parameter once, to go through it and do nothing else."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    named = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    if len(named) != 1 or not isinstance(named[0].ctx, ast.Load):
        return False
    reader: ast.AST = parents[named[0]]
    node: ast.AST = named[0]
    if _calls(reader, node, frozenset({"enumerate"})):
        node, reader = reader, parents[reader]
    if not _calls(reader, node, _READERS):
        return False
    while isinstance(parents[reader], _IN_ORDER):
        if not _comes_first(parents[reader], reader):
            return False
        reader = parents[reader]
    statement = parents[reader]
    if statement is tree:
        return isinstance(tree, ast.Lambda) and reader is tree.body
    if not isinstance(tree, ast.FunctionDef) or statement not in tree.body:
        return False
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Name):
        return False
    below = isinstance(statement, _STRAIGHT) and reader is statement.value
    below = below or (isinstance(statement, ast.If) and reader is statement.test)
    return below and all(map(_is_still, tree.body[: tree.body.index(statement)]))


def _comes_first(parent: ast.AST, child: ast.AST) -> bool:
    """Return whether an expression looks names up, and does no more, until a part is evaluated."""
    if isinstance(parent, ast.Compare) and len(parent.ops) > 1 and child is not parent.left:
        return False
    if isinstance(parent, ast.Subscript) and child is not parent.value:
        return False
    for part in ast.iter_child_nodes(parent):
        if part is child:
            return True
        if not isinstance(part, _NAMES_ONLY):
            return False
    return False


def _is_still(statement: ast.stmt) -> bool:
    """Return whether a statement gives names to names and constants, and does no more."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(e, _NAMES_ONLY) for e in (*statement.targets, statement.value))
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _calls(call: ast.AST, argument: ast.AST, functions: frozenset[str]) -> bool:
    """Return whether one of these functions is called on an argument, and calls nothing itself."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    between = [node for keyword in call.keywords for node in ast.walk(keyword.value)]
    plain = all(isinstance(keyword.value, ast.Lambda | ast.Constant) for keyword in call.keywords)
    still = not any(isinstance(node, ast.Call | ast.NamedExpr) for node in between)
    return call.func.id in functions and call.args == [argument] and plain and still
