"""Coroutines that run one after the other, as plain functions.

Where ``await`` stands before the call of a coroutine function, the function runs to its end there,
as it would without ``async`` and ``await``. Other tasks may run meanwhile, and the only ones that
are read are those of `asyncio.gather` (`dpaudit.formal.lifting.awaiting`). So the trees of modules
lose ``async``, and each call that is awaited is one of its own kind.
"""

from __future__ import annotations

import ast
from collections import Counter


class Awaited(ast.Call):
    """A call behind ``await``, or one over whose values ``async for`` goes."""


def sequential(tree: ast.Module) -> ast.Module:
    """Return a module without ``async``, and ``yield from`` as a loop; what is given is changed."""
    whole: ast.Module = _Sequential().visit(tree)
    return ast.fix_missing_locations(whole)


def is_coroutine_function(tree: ast.AST) -> bool:
    """Return whether a definition of a sequential module was one of a coroutine function."""
    return bool(getattr(tree, "is_async", False))


def is_only_called(name: str, around: ast.AST) -> bool:
    """Return whether a function names a function inside of it only to call it.

    Parameters
    ----------
    name : str
    around : ast.AST
    """
    nodes = list(ast.walk(around))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return all(id(n) in called for n in nodes if isinstance(n, ast.Name) and n.id == name)


class _Sequential(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.value, ast.YieldFrom):
            return node
        item = f"·item_{node.lineno}_{node.col_offset}"
        given = ast.Expr(ast.Yield(ast.Name(item, ast.Load())))
        target = ast.Name(item, ast.Store())
        loop = ast.For(target, node.value.value, [ast.copy_location(given, node)], [])
        return ast.copy_location(loop, node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        self.generic_visit(node)
        names = Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        for part in list(ast.walk(node)):
            if isinstance(body := getattr(part, "body", None), list):
                part.body = _with_tasks(body, names)  # type: ignore[attr-defined]
        made = ast.FunctionDef(**dict(ast.iter_fields(node)))
        made.is_async = True  # type: ignore[attr-defined]
        return ast.copy_location(made, node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.stmt:
        self.generic_visit(node)
        loop = ast.For(node.target, _awaited(node.iter), node.body, node.orelse)
        return ast.copy_location(loop, node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.stmt:
        self.generic_visit(node)
        for item in node.items:
            if isinstance(item.context_expr, ast.Call) or item.optional_vars:
                return node
        return ast.copy_location(ast.With(node.items, node.body), node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        if node.is_async:
            node.iter, node.is_async = _awaited(node.iter), 0
        return node

    def visit_Await(self, node: ast.Await) -> ast.expr:
        self.generic_visit(node)
        return _awaited(node.value)


def _awaited(node: ast.expr) -> ast.expr:
    """Return a call as one that is awaited; anything else as an expression that is refused."""
    if type(node) is ast.Call:
        return ast.copy_location(Awaited(node.func, node.args, node.keywords), node)
    return ast.copy_location(ast.Await(node), node)


def _with_tasks(body: list[ast.stmt], names: Counter[str]) -> list[ast.stmt]:
    """Return a block with lists of tasks where the next statement awaits them.

    ``tasks = [f(x) for x in xs]`` goes before ``await gather(*tasks)`` if nothing else names the
    list, and that statement calls nothing beforehand.
    """
    found: list[ast.stmt] = []
    for statement in body:
        match found[-1] if found else None:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.List() | ast.ListComp() | ast.GeneratorExp() as tasks,
            ) if names[name] == 2 and (stars := _stars(statement, name)) is not None:
                stars.value = tasks
                found.pop()
        found.append(statement)
    return found


def _stars(statement: ast.stmt, name: str) -> ast.Starred | None:
    """Return ``*tasks``, all that the first call of a statement that is awaited is given."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return):
        return None
    for call in (part for part in ast.walk(statement) if isinstance(part, Awaited)):
        match call:
            case ast.Call(args=[ast.Starred(value=ast.Name(id=found)) as stars], keywords=[]):
                inside = list(ast.walk(call))
                others = [
                    part
                    for part in ast.walk(statement)
                    if isinstance(part, ast.Call | ast.NamedExpr | ast.Await) and part not in inside
                ]
                around = all(call in ast.walk(part) for part in others)
                if found == name and around and not isinstance(call.func, ast.Call):
                    return stars
    return None
