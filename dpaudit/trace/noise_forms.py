"""Forms of expressions: noise of a scale, what it is added to, what limits and what adds up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dpaudit.trace.accumulators import named

RATES = frozenset({"expovariate", "geometric"})  # are given one over the scale, or a chance
NOISE = {
    *("laplace", "normal", "gauss", "normalvariate", "exponential", "expovariate", "geometric"),
    *("gumbel", "logistic", "rvs", "standard_normal", "randn", "standard_exponential"),
}
_COINS = frozenset({"random", "rand", "randbelow", "random_sample", "uniform", "getrandbits"})
_PICKING = frozenset({"choice", "choices", "sample", "permutation", "head"})
_SCALES = ("scale", "sigma", "lambd", "b", "p")
_BUDGETS = frozenset({"eps", "epsilon", "epsilons", "budget"})
_TURNED = frozenset({"inv", "inverse", "reciprocal", "over", "scale", "width", "noise"})
SUMS = frozenset({"sum", "fsum", "mean", "average", "nansum", "nanmean"})


def scale_in(call: ast.Call) -> ast.expr | None:
    """Return the argument of a draw that sets how wide noise is.

    Parameters
    ----------
    call : Call
    """
    for keyword in call.keywords:
        if keyword.arg in _SCALES:
            return keyword.value
    name = named(call.func)
    place = 0 if name in (*RATES, "exponential") else 1
    return call.args[place] if len(call.args) > place and name != "rvs" else None


def is_right(value: ast.expr, scale: str) -> bool:
    """Whether an expression is noise of just that scale, or a coin of just that chance.

    Its sign may be drawn, and it may be the difference of two. What else is done to noise may be
    wrong.

    Parameters
    ----------
    value : expr
    scale : str
        The name of a parameter.
    """
    match value:
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Call() as draw):
            return isinstance(left, ast.Name) and left.id != scale and is_right(draw, scale)
        case ast.BinOp(left=ast.Call() as one, op=ast.Sub(), right=ast.Call() as other):
            return is_right(one, scale) and is_right(other, scale)
        case ast.Call(func=ast.Name(id="float" | "int" | "bool"), args=[inner], keywords=[]):
            return is_right(inner, scale)
        case ast.Call():
            given = scale_in(value)
            return given is not None and named(value.func) in NOISE and _is_plain(given, scale)
        case ast.Compare(left=ast.Call() as coin, ops=[ast.Lt() | ast.LtE()], comparators=[chance]):
            if named(coin.func) not in _COINS:
                return False
            whole = ast.unparse(coin.args[0]) if coin.args else ""
            match chance:
                case ast.BinOp(left=left, op=ast.Mult(), right=right) if whole:
                    sides = {ast.unparse(left), ast.unparse(right)}
                    return sides == {scale, whole}
            return not whole and _is_plain(chance, scale)
    return False


def _is_plain(given: ast.expr, scale: str) -> bool:
    """Whether an argument of a draw is a parameter, or one over it."""
    match given:
        case ast.Name(id=name):
            return name == scale
        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Div(), right=ast.Name(id=name)):
            return name == scale
    return False


def factors(value: ast.expr) -> tuple[list[ast.expr], list[ast.expr]]:
    """Return what a product multiplies, and what it divides by.

    Parameters
    ----------
    value : expr
    """
    match value:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            one, other = factors(left), factors(right)
            return one[0] + other[0], one[1] + other[1]
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            one, other = factors(left), factors(right)
            return one[0] + other[1], one[1] + other[0]
    return [value], []


def names_in(node: ast.AST) -> list[str]:
    """Return the variables and attributes that are computed with, as they are written, each once.

    What is called is none of them.

    Parameters
    ----------
    node : AST
    """
    nodes = list(ast.walk(node))
    called = {id(n) for call in nodes if isinstance(call, ast.Call) for n in _chain(call.func)}
    inner = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    found = (n for n in nodes if isinstance(n, ast.Name | ast.Attribute))
    return list(dict.fromkeys(ast.unparse(n) for n in found if id(n) not in called | inner))


def _chain(function: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a dotted name that is called; what inner calls are given is no part."""
    yield function
    while isinstance(function, ast.Attribute | ast.Subscript):
        function = function.value
        yield function


def operands(scale: ast.expr) -> list[str]:
    """Return the names of a scale that is one of them, alone or over a budget; none of any other.

    Parameters
    ----------
    scale : expr
    """
    match scale:
        case ast.Name(id=name):
            return [name]
        case ast.BinOp(left=ast.Name(id=name), op=ast.Div(), right=ast.Name(id=budget) as below):
            return [name, budget] if is_budget(below) and name != budget else []
    return []


def limited_in(value: ast.expr) -> ast.expr | None:
    """Return what an expression limits, if that is all that it does.

    Parameters
    ----------
    value : expr
    """
    match value:
        case ast.Call(func=ast.Attribute(value=ast.expr() as inner, attr="clip")) if not (
            isinstance(inner, ast.Name) and inner.id in ("np", "numpy", "self")
        ):
            return inner
        case ast.Call(func=function, args=[inner, *_]) if "clip" in named(function).lower():
            return inner
        case ast.BinOp(left=inner, op=ast.Div(), right=ast.Call(func=function, args=ends)):
            # Over the larger of one and a norm over its bound: over that of records it is a mean.
            ratio = any(isinstance(e, ast.BinOp) and isinstance(e.op, ast.Div) for e in ends)
            return inner if ratio and named(function) in ("max", "maximum") else None
    return None


def is_computed(value: ast.expr) -> bool:
    """Whether an expression is computed from two names or more.

    Parameters
    ----------
    value : expr
    """
    return len(names_in(value)) > 1


def is_formula(value: ast.expr) -> bool:
    """Whether a factor of a scale is a number, or one of a delta, which has a logarithm.

    Parameters
    ----------
    value : expr
    """
    calls = (n for n in ast.walk(value) if isinstance(n, ast.Call))
    return isinstance(value, ast.Constant) or any(named(call.func)[:3] == "log" for call in calls)


def sums(value: ast.expr) -> bool:
    """Whether an expression adds records up, or takes their mean.

    Parameters
    ----------
    value : expr
    """
    calls = (n for n in ast.walk(value) if isinstance(n, ast.Call))
    return any(named(call.func) in SUMS for call in calls)


def picks(value: ast.expr) -> bool:
    """Whether an expression takes some of its records, by their places or by chance.

    Parameters
    ----------
    value : expr
    """
    calls = (n for n in ast.walk(value) if isinstance(n, ast.Call))
    sliced = any(isinstance(n, ast.Slice) for n in ast.walk(value))
    return sliced or any(named(call.func) in _PICKING for call in calls)


def other_side(statement: ast.stmt, call: ast.Call) -> ast.expr | None:
    """Return what noise is added to in a statement.

    Parameters
    ----------
    statement : stmt
    call : Call
        That draws the noise.
    """
    if isinstance(statement, ast.AugAssign) and statement.value is call:
        return statement.target
    for node in ast.walk(statement):
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                for side, other in ((left, right), (right, left)):
                    if side is call:
                        return other
    return None


def summand_of(statement: ast.stmt) -> ast.expr | None:
    """Return what a statement adds to a sum for each record, if it does nothing else.

    Parameters
    ----------
    statement : stmt
    """
    match statement:
        case ast.AugAssign(op=ast.Add(), value=value):
            return value
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            return right if ast.unparse(left) == ast.unparse(target) else None
        case ast.Assign(value=ast.Call(func=function, args=[ast.GeneratorExp(elt=value), *_])):
            return value if named(function) in ("sum", "fsum") else None
    return None


def is_budget(node: ast.AST) -> bool:
    """Whether a name is that of a budget, and of no multiple of one over it.

    Parameters
    ----------
    node : AST
    """
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            words = re.findall("[a-z]+", name.lower())
            return bool(words) and words[0] in _BUDGETS and _TURNED.isdisjoint(words)
    return False
