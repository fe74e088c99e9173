"""Imports inside a function: names of libraries that are bound there."""

from __future__ import annotations

import ast
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from dpaudit.formal.lifting.canonical import LIBRARIES

_HARMLESS = frozenset(
    {"collections", "decimal", "fractions", "functools", "itertools", "math", "operator", "random"}
    | {"secrets", "statistics", "scipy.special", "scipy.stats", "logging", "warnings"}
)


def imported(tree: ast.AST, taken: frozenset[str]) -> dict[str, Any]:
    """Return what the imports of a function bind, where that is a library's and nothing else.

    Parameters
    ----------
    tree : ast.AST
        Of a function.
    taken : frozenset of str
        Parameters, and variables that are assigned.

    Notes
    -----
    A name that is bound twice, on some paths only, after a use, or by a module that may do more
    than define, is left out.
    """
    statements = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    body = getattr(tree, "body", ())
    always = [node for node in statements if isinstance(body, list) and node in body]
    times = Counter(name for node in statements for name, _ in _bindings(node))
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    found = {}
    for node in always:
        for name, path in _bindings(node):
            early = any(use.id == name and use.lineno <= node.lineno for use in uses)
            if times[name] == 1 and name not in taken and not early:
                found[name] = _value(path)
    return {name: value for name, value in found.items() if value is not None}


def names_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the variables that an import binds."""
    return [name for name, _ in _bindings(node)]


def _bindings(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield variables with the module, and the name in it, that they are bound to."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, (node.module or "", alias.name, "." * node.level)
        elif alias.asname is not None or "." not in alias.name:
            yield alias.asname or alias.name, (alias.name,)
        else:
            yield alias.name.partition(".")[0], ("",)


def _value(path: tuple[str, ...]) -> Any:
    module, *rest = path
    if module.partition(".")[0] not in LIBRARIES or any(part.startswith(".") for part in rest):
        return None
    if module not in sys.modules and module not in _HARMLESS:
        return None
    found = importlib.import_module(module)
    return getattr(found, rest[0], None) if rest else found
