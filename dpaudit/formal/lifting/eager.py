"""A generator expression that a function goes through once is as good as a list.

The list draws all noise beforehand, and all of it: draws are independent, so that neither their
order nor those that nobody looks at change what comes out.
"""

from __future__ import annotations

import ast
import types
from dataclasses import replace

from dpaudit.formal.lifting.source import source_of
from dpaudit.formal.program import Comprehension, Expression

_READERS = frozenset({"dict", "list", "max", "min", "sorted", "sum", "tuple"})
_REPEATED = (
    ast.For, ast.While, ast.Lambda, ast.FunctionDef, ast.GeneratorExp, ast.ListComp, ast.SetComp,
    ast.DictComp,
)  # fmt: skip


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
    if own & {"enumerate", *_READERS}:
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
    above = parents.get(reader)
    while above is not None and above is not tree:
        if isinstance(above, _REPEATED):
            return False
        above = parents.get(above)
    return True


def _calls(call: ast.AST, argument: ast.AST, functions: frozenset[str]) -> bool:
    """Return whether one of these functions is called on an argument, and calls nothing itself."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    between = [node for keyword in call.keywords for node in ast.walk(keyword.value)]
    plain = all(isinstance(keyword.value, ast.Lambda | ast.Constant) for keyword in call.keywords)
    still = not any(isinstance(node, ast.Call | ast.NamedExpr) for node in between)
    return call.func.id in functions and call.args == [argument] and plain and still
