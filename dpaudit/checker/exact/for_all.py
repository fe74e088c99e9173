"""Checks proofs of pure privacy for all positive values of a parameter."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.exact.domain import Domain
from dpaudit.checker.exact.growing import Growing, Multiple, sign_beyond_one
from dpaudit.checker.exact.independent import Product
from dpaudit.checker.exact.numbers import Number
from dpaudit.checker.exact.spending import Chances
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work
from dpaudit.claims.symbolic import SymbolicClaim

FOR_ALL = {
    "kind": str,
    "claim": dict,
    "parameter": str,
    "datasets": int,
    "pairs": int,
    "inequalities": list,
    "assumptions": list,
}
_ZERO = Number(Fraction(0))


def stated_claim(document: Document) -> tuple[str, Number]:
    """Return the parameter that the claim is about, and e to the claimed epsilon."""
    text = document.subject["claim"]
    try:
        claim = SymbolicClaim.of(text)
    except ValueError as error:
        raise RejectedError(f"`claim` cannot be read: {error}") from None
    if str(claim) != text or claim.to_dict() != document.proof["claim"]:
        raise RejectedError("`claim` of the proof is not that of the subject")
    if claim.notion != "PureDP" or claim.symbols != (document.proof["parameter"],):
        raise RejectedError("`parameter` is not the one that a pure claim names")
    return claim.symbols[0], allowed_by(claim).exp()


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


def validate_inequalities(
    proof: Mapping[str, Any], domain: Domain, laws: Sequence[Chances], allowed: Number, work: Work
) -> None:
    """Refuse a proof where some output is too likely, or that states other inequalities.

    Parameters
    ----------
    proof : mapping
    domain : Domain
    laws : sequence of Chances
        On each dataset.
    allowed : Number
        The largest ratio that the claim allows.
    work : Work
    """
    points = [law for law in laws if not isinstance(law, Product)]
    if len(points) < len(laws):
        raise NotCheckedError("not checked: very many outputs, for all values of a parameter")
    found = set()
    for pair in domain.pairs:
        for i, j in (pair, pair[::-1]):
            work.left()
            for key, p in points[i].items():
                left = allowed * points[j].get(key, _ZERO) - p
                if left.sign() < 0:
                    raise RejectedError(f"the output {key!r:.80} is too likely on one dataset")
                if isinstance(left, Growing):
                    found.add(left.form)
    for step, coefficients in found:
        if step != "0" and sign_beyond_one(list(coefficients)) < 0:
            raise RejectedError("an inequality is false")
    if [[step, list(map(str, c))] for step, c in sorted(found)] != proof["inequalities"]:
        raise RejectedError("`inequalities` are not those that the code gives")
    if (proof["datasets"], proof["pairs"]) != (len(domain.datasets), len(domain.pairs)):
        raise RejectedError("`datasets` or `pairs` is not the number that there are")
