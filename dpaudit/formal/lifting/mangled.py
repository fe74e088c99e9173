"""Names that a class changes: ``__limit`` is ``_Engine__limit`` inside of it.

Python does so wherever such a name stands in the body of a class, those of functions included
(Python's language reference, 6.2.1); syntax trees hold what was written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dpaudit.formal.lifting.cells import with_lists
from dpaudit.formal.lifting.coroutines import sequential
from dpaudit.formal.lifting.desugared import desugared
from dpaudit.formal.lifting.display_loops import spelled_out
from dpaudit.formal.lifting.flow_syntax import bound_names

_OWN = "·"  # is in the names of variables that a lifting makes


def module_tree(text: str, file: str = "<unknown>") -> ast.Module:
    """Return the tree of a module, with the names that its code will use, in plain syntax.

    Parameters
    ----------
    text : str
    file : str, optional

    Raises
    ------
    SyntaxError
        Also where a name has a middle dot, as the names of variables that are made here.
    """
    tree = ast.parse(text, file)
    if not text.isascii() and any(_OWN in name for name in _identifiers(tree)):
        raise SyntaxError("a name has a middle dot")
    if any(word in text for word in ("match", "getattr", "setattr")):
        tree = desugared(tree)
    tree = spelled_out(tree)
    if any(word in text for word in ("async", "yield from")):
        tree = sequential(tree)
    if "__" in text:
        _visit(tree, "")
    if "nonlocal" in text:
        with_lists(tree)
    if "global" in text:
        _without_idle_globals(tree)
    return tree


def _identifiers(tree: ast.Module) -> Iterator[str]:
    """Yield the names in a tree, of variables, attributes and all else, and no texts."""
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node) if not isinstance(node, ast.Constant) else ():
            words = value if isinstance(value, list) else [value]
            yield from (word for word in words if isinstance(word, str))


def _without_idle_globals(tree: ast.Module) -> None:
    """Drop the names from ``global`` statements that the function around them never binds."""
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        inside = list(ast.walk(function))
        binding = (n for n in inside if not isinstance(n, ast.arg))  # no parameter is global
        bound = {name for n in binding for name in bound_names(n)}
        for node in (n for n in inside if isinstance(n, ast.Global)):
            node.names = [name for name in node.names if name in bound]


def written_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the name of a function as it is written, which its code object has."""
    return str(getattr(node, "written", node.name))


def _visit(node: ast.AST, owner: str) -> None:
    for child in ast.iter_child_nodes(node):
        _visit(child, child.name.lstrip("_") if isinstance(child, ast.ClassDef) else owner)
    if not owner or isinstance(node, ast.ClassDef):
        return
    for word in ("id", "attr", "arg"):
        name = getattr(node, word, None)
        if isinstance(name, str):
            setattr(node, word, _changed(name, owner))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.written, node.name = node.name, _changed(node.name, owner)  # type: ignore[union-attr]
    if isinstance(node, ast.Global | ast.Nonlocal):
        node.names = [_changed(name, owner) for name in node.names]


def _changed(name: str, owner: str) -> str:
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{owner}{name}" if private else name
