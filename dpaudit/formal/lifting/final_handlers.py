"""Final handlers: those that raise again what they catch, or that end the mechanism.

An exception is an output, its class and its text. Where a mechanism is one ``try`` as a whole, and
each handler returns a constant, or raises an exception that is one, then what leaves is a function
of what leaves without the handlers: post-processing, so that what is proved without them holds with
them. A handler that does more, or after which the mechanism goes on, is refused.
"""

from __future__ import annotations

import ast
import copy

from dpaudit.formal.lifting.source import Defined


def raises_again(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler does nothing but raise what it caught."""
    if len(handler.body) != 1 or not _is_name(handler.type):
        return False
    only = handler.body[0]
    if not isinstance(only, ast.Raise) or only.cause is not None:
        return False
    again = isinstance(only.exc, ast.Name) and only.exc.id == handler.name
    return only.exc is None or again


def without_handlers(tree: Defined) -> Defined:
    """Return a mechanism that is one try as a whole without handlers that end it by a constant."""
    if isinstance(tree, ast.Lambda):
        return tree
    at = 0 if ast.get_docstring(tree) is None else 1
    only = tree.body[at] if len(tree.body) == at + 1 else None
    if not isinstance(only, ast.Try) or only.finalbody or only.orelse:
        return tree
    if not all(raises_again(handler) or _ends(handler) for handler in only.handlers):
        return tree
    changed = copy.copy(tree)
    changed.body = [*tree.body[:at], *only.body]
    return changed


def _ends(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler returns a constant, or raises an exception that is one."""
    if len(handler.body) != 1 or not _is_name(handler.type):
        return False
    only = handler.body[0]
    if isinstance(only, ast.Return):
        return only.value is None or _is_constant(only.value)
    if not isinstance(only, ast.Raise):
        return False
    if not isinstance(only.cause, ast.Name | ast.Constant | None):
        return False
    made = only.exc
    if isinstance(made, ast.Call):
        plain = not made.keywords and all(isinstance(a, ast.Constant) for a in made.args)
        return plain and _is_name(made.func)
    return isinstance(made, ast.Name) and made.id != handler.name


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant)


def _is_name(node: ast.expr | None) -> bool:
    """Return whether an expression names classes, so that to evaluate it runs no code."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_name, node.elts))
    return node is None or isinstance(node, ast.Name | ast.Attribute)
