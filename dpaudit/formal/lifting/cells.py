"""Variables that a function inside assigns (``nonlocal``), as lists of one item.

A variable that several functions share is a cell: ``left -= 1`` in one of them is seen by all. So
is the item of a list. The list is made where the variable gets its first value, which is a
statement of the body of the function that owns it, and stands before all that names it.
"""

from __future__ import annotations

import ast

from dpaudit.formal.lifting.flow_syntax import Defined, is_stored, owned_names, parameters_of

_OTHERWISE = (ast.NamedExpr, ast.comprehension, ast.Delete, ast.ClassDef)


def held_name(name: str) -> str:
    """Return what a variable is called that inner functions assign."""
    return f"·{name}_held"


def with_lists(tree: ast.Module) -> None:
    """Change a module: no ``nonlocal`` is left but those of names that are bound in other ways."""
    for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
        inside = [n for n in ast.walk(function) if isinstance(n, Defined) and n is not function]
        shared = {name for each in inside for name in _nonlocal(each)} & owned_names(function)
        for name in sorted(shared):
            if not any(name in owned_names(each) for each in inside):
                _as_list(function, name)


def _nonlocal(node: Defined) -> set[str]:
    return {n for part in ast.walk(node) if isinstance(part, ast.Nonlocal) for n in part.names}


def _as_list(function: ast.FunctionDef, name: str) -> None:
    """Change one variable of a function, if it can be."""
    if name in parameters_of(function.args):
        return
    every = list(ast.walk(function))
    for node in every:
        words = (getattr(node, word, None) for word in ("name", "arg", "asname", "rest"))
        if name in words or (isinstance(node, ast.Global) and name in node.names):
            return
        if isinstance(node, _OTHERWISE) and any(_is_name(n, name) for n in ast.walk(node)):
            return
    at = next(i for i, each in enumerate(function.body) if _names(each, name))
    first = function.body[at]
    targets = first.targets if isinstance(first, ast.Assign) else [getattr(first, "target", None)]
    value = first.value if isinstance(first, ast.Assign | ast.AnnAssign) else None
    one = len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name
    if value is None or not one or _names(value, name):
        return
    held = held_name(name)
    _Items(name, held).visit(function)
    made = ast.Assign([ast.Name(held, ast.Store())], ast.List([value], ast.Load()))
    function.body[at] = ast.fix_missing_locations(ast.copy_location(made, first))


def _names(node: ast.AST, name: str) -> bool:
    return any(_is_name(part, name) or _declares(part, name) for part in ast.walk(node))


def _declares(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Nonlocal) and name in node.names


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


class _Items(ast.NodeTransformer):
    """Writes the item of a list in place of a variable."""

    def __init__(self, name: str, held: str) -> None:
        self.name, self.held = name, held

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        context: ast.expr_context = ast.Store() if is_stored(node) else ast.Load()
        item = ast.Subscript(ast.Name(self.held, ast.Load()), ast.Constant(0), context)
        return ast.fix_missing_locations(ast.copy_location(item, node))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        node.names = [name for name in node.names if name != self.name]
        return node if node.names else ast.copy_location(ast.Pass(), node)
