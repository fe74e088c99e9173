"""Claims that name parameters of the mechanism, as expressions in them."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.claims.symbolic import SymbolicClaim, applied
from dpaudit.formal.unsupported import Unsupported


def formulas(claim: SymbolicClaim) -> tuple[Any, ...]:
    """Return the parameters of a claim as expressions; floats are the rationals that they are."""
    return tuple(_read(ast.parse(term, mode="eval").body) for term in claim.terms)


def _read(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            exact = Fraction(number)
            return sympy.Rational(exact.numerator, exact.denominator)
        case ast.Name(id=name):
            return sympy.Symbol(name, real=True)
        case ast.UnaryOp(operand=operand):
            return -_read(operand)
        case ast.BinOp(left=left, op=operator, right=right):
            return applied(operator, _read(left), _read(right))
    raise Unsupported(f"the formula {ast.unparse(node)}")
