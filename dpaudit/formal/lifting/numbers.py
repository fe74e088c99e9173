"""Numbers: which expressions of a source are surely Python's, or NumPy's, int or float."""

from __future__ import annotations

import ast
from typing import Literal

from dpaudit.formal.lifting.folding import setting
from dpaudit.formal.lifting.generators import generator_kind
from dpaudit.formal.lifting.scope import Scope, object_shape, resolve
from dpaudit.formal.lifting.source import source_of

_OF_FLOATS = frozenset(f"math.{n}" for n in ("sqrt", "log", "log2", "log10", "log1p", "exp", "pow"))
_DRAWS = {"laplace": 2, "normal": 2, "gumbel": 2, "exponential": 1, "random": 0, "gauss": 2,
          "standard_normal": 0}  # fmt: skip
_LARGEST = 2**53
Number = Literal["int", "float"]


def kind_of_number(
    node: ast.expr, scope: Scope, within: frozenset[str] = frozenset()
) -> Number | None:
    """Return whether an expression is an int or a float; None where it may be something else.

    An int is one that 64 bits hold.

    Parameters
    ----------
    node : expr
    scope : Scope
    within : frozenset of str
        Variables whose one assignment the expression stands in: what may be assigned twice is
        another value there.
    """
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & scope.local
    if within and not all(map(scope.once, names)):
        return None
    known = setting(node, scope)
    if known is not None:
        held, value = known
        if held is float:
            return "float"
        return "int" if held is int and abs(value) < _LARGEST else None
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return kind_of_number(operand, scope, within)
        case ast.BinOp(left=left, op=operator, right=right):
            sides = [kind_of_number(side, scope, within) for side in (left, right)]
            return None if None in sides else _of_operation(operator, sides)
        case ast.Call():
            return _of_call(node, scope, within)
        case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant()):
            return None if object_shape(of, scope) else "int"
        case ast.Name(id=name) if name not in within and scope.once(name):
            return _of_variable(name, scope, within | {name})
    return None


def _of_operation(operator: ast.operator, sides: list[Number | None]) -> Number | None:
    if isinstance(operator, ast.Div):
        return "float"
    if isinstance(operator, ast.Add | ast.Sub):
        return "float" if "float" in sides else "int"
    return "float" if isinstance(operator, ast.Mult) and "float" in sides else None


def _of_call(node: ast.Call, scope: Scope, within: frozenset[str]) -> Number | None:
    live = resolve(node.func, scope)
    if live is not None:
        if live.name == "builtins.float" or live.name in _OF_FLOATS:
            return "float"
        return "int" if live.name == "builtins.len" else None
    if not isinstance(node.func, ast.Attribute) or object_shape(node.func.value, scope):
        return None
    word = node.func.attr
    if word == "item" and not (node.args or node.keywords):
        return "float"
    if word in _DRAWS and generator_kind(node.func.value, scope) is not None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        sized = any(keyword.arg not in ("loc", "scale") for keyword in node.keywords)
        one = all(kind_of_number(each, scope, within) for each in given)
        return "float" if one and not sized and len(given) <= _DRAWS[word] else None
    return None


def _of_variable(name: str, scope: Scope, within: frozenset[str]) -> Number | None:
    """Return what the one assignment of a variable, or a loop over a range, gives it."""
    value = assigned(name, scope)
    if value is not None:
        return kind_of_number(value, scope, within)
    for node in ast.walk(source_of(scope.lifter.stack[-1]).tree):
        match node:
            case ast.For(target=ast.Name(id=to), iter=ast.Call(func=func)) if to == name:
                live = resolve(func, scope)
                return "int" if live is not None and live.name == "builtins.range" else None
    return None


def assigned(name: str, scope: Scope) -> ast.expr | None:
    """Return the expression of the one assignment of a variable, None where it has no such."""
    if not scope.once(name):
        return None
    for node in ast.walk(source_of(scope.lifter.stack[-1]).tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=to)], value=value)
                | ast.AnnAssign(target=ast.Name(id=to), value=ast.expr() as value)
            ) if to == name:
                return value
    return None
