"""Pure privacy for all positive values of a parameter, as polynomials that are positive."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.domain import Domain
from dpaudit.checker.exact.exponential_fractions import Growing, Multiple, sign_beyond_one
from dpaudit.checker.exact.independent import Mixture
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.spending import Chances
from dpaudit.checker.file import NotCheckedError, RejectedError, Work
from dpaudit.claims.symbolic import SymbolicClaim

_ZERO = Number(Fraction(0))


def allowed_by(claim: SymbolicClaim) -> Multiple:
    """Return the claimed epsilon, a positive multiple of the parameter or of a power of it."""
    found = _read(ast.parse(claim.terms[0], mode="eval").body)
    if not isinstance(found, Multiple) or found.sign() < 0:
        raise NotCheckedError("not checked: a claim that is no positive multiple of a parameter")
    return found


def _read(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Number(Fraction(number))
        case ast.Name():
            return Multiple(Fraction(1))
        case ast.UnaryOp(operand=operand):
            return -_read(operand)
        case ast.BinOp(left=left, op=operator, right=right):
            one, other = _read(left), _read(right)
            match operator:
                case ast.Add():
                    return one + other
                case ast.Sub():
                    return one - other
                case ast.Mult():
                    return one * other
                case ast.Div():
                    return one / other
    raise NotCheckedError("not checked: a claim that is no multiple of a parameter")


def inequalities(
    domain: Domain, laws: Sequence[Chances], allowed: Number, work: Work
) -> list[list[Any]]:
    """Return what is positive since the claim holds on every pair.

    Parameters
    ----------
    domain : Domain
    laws : sequence of Chances
        On each dataset.
    allowed : Number
        The largest ratio that the claim allows.
    work : Work

    Raises
    ------
    RejectedError, NotCheckedError
        Where some output is too likely for some value of the parameter, or may be.
    """
    points = [law for law in laws if not isinstance(law, Mixture)]
    if len(points) < len(laws):
        raise NotCheckedError("not checked: very many outputs, for all values of a parameter")
    found = set()
    for pair in domain.pairs:
        for i, j in (pair, pair[::-1]):
            work.left()
            for key, p in points[i].items():
                left = allowed * points[j].get(key, _ZERO) - p
                if left.sign() < 0:
                    raise RejectedError("an output is too likely on one dataset")
                if isinstance(left, Growing):
                    found.add(left.form)
    for step, coefficients in found:
        if step != "0" and sign_beyond_one(list(coefficients)) < 0:
            raise RejectedError("an inequality is false")
    return [[step, list(map(str, c))] for step, c in sorted(found)]
