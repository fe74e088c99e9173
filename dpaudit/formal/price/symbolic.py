"""Prices against claims that name parameters of the mechanism: for all of their values."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from dpaudit.claims.symbolic import SymbolicClaim, applied
from dpaudit.formal.price.notions import Expr
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.program import Place


def formulas(claim: SymbolicClaim) -> tuple[Expr, ...]:
    """Return the parameters of a claim as expressions; floats are the rationals that they are."""
    return tuple(_read(ast.parse(term, mode="eval").body) for term in claim.terms)


def known(claim: object, conditions: tuple[Expr, ...], place: Place) -> tuple[Expr, ...]:
    """Return what may be taken for granted about symbols when a price is compared.

    Parameters
    ----------
    claim : Claim or SymbolicClaim
    conditions : tuple of sympy relationals
        What must hold of parameters for the price to be right.
    place : Place

    Returns
    -------
    tuple of sympy relationals
        That the parameters which the claim names are positive, then the conditions.

    Raises
    ------
    Unsupported
        Where a condition on those parameters alone does not follow from their being positive:
        then the claim is not about all of their values.
    """
    if not isinstance(claim, SymbolicClaim):
        return conditions
    from dpaudit.formal.decide import Truth, decide

    positive = tuple(sympy.Symbol(name, real=True) > 0 for name in claim.symbols)
    for condition in conditions:
        names = {symbol.name for symbol in condition.free_symbols}
        follows = decide(condition, positive).truth is Truth.PROVED
        if names <= set(claim.symbols) and not follows:
            raise Unsupported(f"it is about values with {condition} alone", place)
    return (*positive, *conditions)


def _read(node: ast.expr) -> Expr:
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
