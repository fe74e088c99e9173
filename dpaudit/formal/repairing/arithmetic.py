"""Expressions of the source times a factor, written as short as they can be."""

from __future__ import annotations

import ast
import re
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from dpaudit.claims.symbolic import applied

Expr = Any
BASIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
ATOMS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)
_HELD = re.compile(r"\bheld_(\d+)\b")


def times(text: str, factor: str) -> str:
    """Return an expression multiplied by another, simplified where that makes it shorter.

    Parameters
    ----------
    text, factor : str
        Expressions of Python.

    Returns
    -------
    str

    Examples
    --------
    >>> times("sensitivity / (2 * epsilon)", "2")
    'sensitivity / epsilon'
    """
    factor = _bare(factor)
    match _parsed(text):
        case ast.Constant(value=1):
            return factor
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Div(), right=divisor):
            return _shorter(f"{_factor(factor)} / {_divisor(ast.unparse(divisor))}")
    return _shorter(f"{_factor(factor)} * {_factor(text)}")


def over(text: str, factor: str) -> str:
    """Return an expression divided by another, simplified where that makes it shorter.

    Parameters
    ----------
    text, factor : str
        Expressions of Python.

    Returns
    -------
    str

    Examples
    --------
    >>> over("epsilon * rounds", "rounds")
    'epsilon'
    """
    return _shorter(f"{_term(text)} / {_divisor(_bare(factor))}")


def without(text: str, kept: str) -> list[str]:
    """Return an expression with each of its factors and divisors left out in turn.

    Parameters
    ----------
    text : str
    kept : str
        A factor or divisor that stays.

    Returns
    -------
    list of str

    Examples
    --------
    >>> without("(high - low) / (n * epsilon)", "epsilon")
    ['(high - low) / epsilon']
    """
    try:
        held: list[str] = []
        value = sympy.factor(_read(_parsed(text), text.strip(), held))
        names = [sympy.Symbol(f"held_{i}", positive=True) for i in range(len(held))]
        powers = value.as_powers_dict()
        rest = [
            value / name ** powers[name]
            for name, written in zip(names, held, strict=True)
            if written != kept and powers[name]
        ]
        return [_written(one, held) for one in rest]
    except (_OpaqueError, SyntaxError, ArithmeticError, sympy.PolynomialError):
        return []


def _bare(text: str) -> str:
    """Return an expression without brackets around it."""
    return ast.unparse(_parsed(text))


def _shorter(plain: str) -> str:
    """Return an expression, or what algebra makes of it where that is shorter."""
    try:
        held: list[str] = []
        value = sympy.cancel(_read(_parsed(plain), plain, held))
        simple = _written(value, held)
    except (_OpaqueError, SyntaxError, ArithmeticError, sympy.PolynomialError):
        return plain
    return simple if len(simple) < len(plain) else plain


class _OpaqueError(Exception):
    """An expression that is better left as it is written."""


def _read(node: ast.expr, text: str, held: list[str]) -> Expr:
    """Return arithmetic as sympy sees it; what is none is held as a symbol."""
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return sympy.Integer(number)
        case ast.Constant():
            raise _OpaqueError  # a float is what it is written as
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand, text, held)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=0.5)):
            return sympy.sqrt(_read(left, text, held))
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = _read(left, text, held), _read(right, text, held)
            if isinstance(operator, BASIC) or (isinstance(operator, ast.Pow) and b.is_Integer):
                return applied(operator, a, b)
            raise _OpaqueError
        case ast.Call(func=function, args=[inner], keywords=[]) if _is_root(function):
            return sympy.sqrt(_read(inner, text, held))
    if not isinstance(node, ATOMS):
        raise _OpaqueError
    written = ast.get_source_segment(text, node) or ast.unparse(node)
    if written not in held:
        held.append(written)
    return sympy.Symbol(f"held_{held.index(written)}", positive=True)


def _is_root(function: ast.expr) -> bool:
    """Return whether a function is called sqrt, as it is in `math` and NumPy."""
    return getattr(function, "attr", getattr(function, "id", "")) == "sqrt"


class _Python(StrPrinter):  # type: ignore[misc]
    """Writes square roots as powers, which need no import."""

    def _print_Pow(self, expr: Expr, rational: bool = False) -> str:  # noqa: N802
        if expr.exp == sympy.Rational(1, 2):
            return f"({self._print(expr.base)})**0.5"
        if expr.exp == -sympy.Rational(1, 2):
            return f"1/({self._print(expr.base)})**0.5"
        return str(super()._print_Pow(expr, rational=rational))


def _written(value: Expr, held: list[str]) -> str:
    text = _HELD.sub(lambda m: held[int(m[1])], _Python().doprint(value))
    return ast.unparse(ast.parse(text, mode="eval"))


def _factor(text: str) -> str:
    """Return an expression as it may stand in a product."""
    return _within(text, (ast.Mult, ast.Div, ast.Pow))


def _term(text: str) -> str:
    """Return an expression as it may stand before a division."""
    return text if isinstance(_parsed(text), ast.UnaryOp) else _factor(text)


def _divisor(text: str) -> str:
    return _within(text, (ast.Pow,))


def _within(text: str, operators: tuple[type[ast.operator], ...]) -> str:
    """Return an expression in brackets unless it is one of these operations, or none."""
    node = _parsed(text)
    tight = isinstance(node, ast.BinOp) and isinstance(node.op, operators)
    return text if tight or isinstance(node, (ast.Constant, *ATOMS)) else f"({text})"


def _parsed(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body
