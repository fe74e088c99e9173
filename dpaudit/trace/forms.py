"""Forms of a line of source: whether it hands a value on, or takes an end of the data."""

from __future__ import annotations

import ast
from functools import lru_cache

_CASTS = frozenset({"float", "int", "list", "tuple", "asarray", "array", "float64", "copy", "item"})
_ENDS = frozenset({"min", "max", "amin", "amax", "nanmin", "nanmax", "ptp"})
_QUANTILES = frozenset({"quantile", "percentile", "nanquantile", "nanpercentile"})


@lru_cache(maxsize=1024)
def copies(source: str) -> bool:
    """Whether a line only hands a value on: it names, returns or converts what there is.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    for statement in _statements(source):
        match statement:
            case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value):
                return value is not None and _is_reference(value)
    return False


def _is_reference(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return _is_reference(value)
        case ast.Call(func=function, args=[value], keywords=[]):
            return _called(function) in _CASTS and _is_reference(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]):
            return name in _CASTS and _is_reference(value)
        case ast.Tuple(elts=values) | ast.List(elts=values):
            return all(map(_is_reference, values))
        case ast.Dict(values=values):
            return all(map(_is_reference, values))
    return False


@lru_cache(maxsize=1024)
def takes_end(source: str) -> bool:
    """Whether a line takes the least, the largest or a quantile of one collection.

    Parameters
    ----------
    source : str
        A line without its indentation.
    """
    for statement in _statements(source):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _takes_end(node):
                return True
    return False


def _takes_end(call: ast.Call) -> bool:
    name, given = _called(call.func), call.args
    if name in _QUANTILES:
        return True
    if name not in _ENDS or len(given) > 1:
        return False
    if not given:
        return isinstance(call.func, ast.Attribute)
    return not isinstance(given[0], (ast.Tuple, ast.List, ast.Constant))


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _statements(source: str) -> list[ast.stmt]:
    for text in (source, f"{source} pass"):  # an ``if`` or a loop has its body on other lines
        try:
            return ast.parse(text).body[:1]
        except SyntaxError:
            continue
    return []
