"""Names that a class changes: ``__limit`` is ``_Engine__limit`` inside of it.

Python does so wherever such a name stands in the body of a class, those of functions included
(Python's language reference, 6.2.1); syntax trees hold what was written.
"""

from __future__ import annotations

import ast


def module_tree(text: str, file: str = "<unknown>") -> ast.Module:
    """Return the tree of a module, with the names that its code will use."""
    tree = ast.parse(text, file)
    if "__" in text:
        _visit(tree, "")
    return tree


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
