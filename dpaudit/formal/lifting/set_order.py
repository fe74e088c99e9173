"""The order of a set of texts depends on the hash seed of the process: nothing may use it.

Sets of numbers written in the program have the same order in every process. Any other set may only
be asked for what it holds, for its size and for its elements in order.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from typing import Any

from dpaudit.formal.lifting.repeatable import NUMBERS, is_unordered
from dpaudit.formal.lifting.scope import Scope, parameter_names, resolve
from dpaudit.formal.lifting.source import Defined, source_of
from dpaudit.formal.unsupported import Unsupported

_FREE = frozenset({"len", "sorted", "min", "max", "any", "all", "bool", "isinstance"})
_SETS = frozenset({"set", "frozenset"})
_COMBINED = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_ASKED_WORDS = """
add discard remove clear update issubset issuperset isdisjoint intersection_update
difference_update symmetric_difference_update
"""
_ASKED = frozenset(_ASKED_WORDS.split())


def validate_sets(body: ast.AST, scope: Scope, defaults: Mapping[str, Any]) -> None:
    """Refuse a function in which the order of a set may decide.

    Raises
    ------
    Unsupported
        With the line of the use.
    """
    parents = {child: node for node in ast.walk(body) for child in ast.iter_child_nodes(node)}
    given = {name for name, value in defaults.items() if is_unordered(value)}
    for node in ast.walk(body):
        named = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in given
        if isinstance(node, ast.expr) and (named or _is_set(node, scope)):
            wrong = _misused(node, parents, body, frozenset(), scope)
            if wrong is not None:
                what = f"the order of a set in `{ast.unparse(wrong):.60}`, which is not fixed"
                raise Unsupported(what, scope.place(wrong))


def _is_set(node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Set):
        return len(node.elts) > 1 and not all(map(_is_number, node.elts))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SETS:
        return node.func.id not in scope.local
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        said = len(scope.lifter.changing)
        try:
            live = resolve(node, scope)
        except Unsupported:  # refused where it is read
            return False
        finally:
            del scope.lifter.changing[said:]  # so is a variable that may change; this may be local
        return live is not None and is_unordered(live.value)
    return isinstance(node, ast.SetComp)


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in NUMBERS


def _misused(
    node: ast.expr,
    parents: dict[ast.AST, ast.AST],
    body: ast.AST,
    seen: frozenset[str],
    scope: Scope | None,
) -> ast.AST | None:
    """Return where the order of a set may be used, None where it is not.

    A function of the user's is followed into where there is a scope to find it in.
    """
    parent = parents.get(node)
    match parent:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Expr() | ast.Assert():
            return None
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if test is node:
            return None
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _FREE | _SETS:
            return None  # that a call makes a set is looked at by itself
        case ast.BinOp() | ast.BoolOp() | ast.IfExp():
            return _misused(parent, parents, body, seen, scope)
        case ast.Attribute(attr=name) if name in _ASKED:
            return None
        case ast.Attribute(attr=name) if name in _COMBINED:
            call = parents.get(parent)
            return call and _misused(call, parents, body, seen, scope)  # type: ignore[arg-type]
        case ast.Call(func=ast.Attribute(attr=name)) if name in _ASKED | _COMBINED:
            return None
        case ast.Call() if scope is not None and _is_only_asked(node, parent, scope):
            return None
        case ast.Assign(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
            return _of_variables(
                [t.id for t in targets if isinstance(t, ast.Name)], parents, body, seen, scope
            )
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            return _of_variables([name], parents, body, seen, scope)
        case ast.NamedExpr(target=ast.Name(id=name)):
            wrong = _misused(parent, parents, body, seen, scope)
            return wrong or _of_variables([name], parents, body, seen, scope)
    return parent or node


def _is_only_asked(node: ast.expr, call: ast.Call, scope: Scope) -> bool:
    """Return whether a function of the user's that is given a set does not use its order."""
    live = resolve(call.func, scope) if isinstance(call.func, ast.Name | ast.Attribute) else None
    function = None if live is None or live.name is not None else live.value
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if not isinstance(function, types.FunctionType) or starred:
        return False
    tree = source_of(function.__code__).tree
    names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
    given = dict(zip(names, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
    name = next((name for name, value in given.items() if value is node), None)
    if name not in parameter_names(tree) or any(
        isinstance(inner, Defined) and inner is not tree for inner in ast.walk(tree)
    ):
        return False
    parents = {child: each for each in ast.walk(tree) for child in ast.iter_child_nodes(each)}
    return _of_variables([str(name)], parents, tree, frozenset(), None) is None


def _of_variables(
    names: list[str],
    parents: dict[ast.AST, ast.AST],
    body: ast.AST,
    seen: frozenset[str],
    scope: Scope | None,
) -> ast.AST | None:
    rest = frozenset(names) - seen
    uses = (_misused(use, parents, body, seen | rest, scope) for use in _loads(body, rest))
    return next((wrong for wrong in uses if wrong is not None), None)


def _loads(body: ast.AST, names: frozenset[str]) -> Iterator[ast.Name]:
    for node in ast.walk(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            yield node
