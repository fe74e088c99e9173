"""Pieces of syntax that the reader of a module's flow asks about."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
GENERATORS = ("default_rng", "Generator", "PCG64", "RandomState", "Random", "SeedSequence")


def is_seeded(node: ast.Call) -> bool:
    """Return whether a call makes a generator from a seed that is written in it."""
    last = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if last not in GENERATORS or not node.args or node.keywords:
        return False
    return all(
        (isinstance(a, ast.Constant) and isinstance(a.value, int))
        or (isinstance(a, ast.Call) and is_seeded(a))
        for a in node.args
    )


def is_stored(node: ast.AST) -> bool:
    """Return whether a node is a name that is assigned or deleted."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)


def base_name(node: ast.AST) -> str | None:
    """Return the variable that an item or attribute is of."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Return the names of all parameters, those of ``*args`` and ``**kwargs`` among them."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in (*every, arguments.vararg, arguments.kwarg) if a is not None]


def owned_names(node: Defined) -> frozenset[str]:
    """Return the variables of a function's own."""
    owned, others = set(parameters_of(node.args)), set()
    rest: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while rest:
        part = rest.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            owned.add(part.name)
            continue
        if isinstance(part, ast.Lambda):
            continue
        if isinstance(part, ast.Global | ast.Nonlocal):
            others |= set(part.names)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            owned |= {a.asname or a.name.partition(".")[0] for a in part.names}
        elif is_stored(part):
            owned.add(part.id)  # type: ignore[attr-defined]
        rest += ast.iter_child_nodes(part)
    return frozenset(owned - others)


def own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions that a statement evaluates itself."""
    return (c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr))


def inner_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements that a statement holds."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            yield part
        elif isinstance(part, ast.ExceptHandler | ast.match_case):
            yield from inner_statements(part)
