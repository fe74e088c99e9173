"""Proofs by cost for all positive values of a parameter.

The program is followed with the parameter as a number of its own: a sum, a product or a test whose
outcome is not the same for every positive value is refused.
"""

from __future__ import annotations

import re

from dpaudit.checker.file import IDEALIZED, SAME_CODE, Document, RejectedError
from dpaudit.claims.symbolic import SymbolicClaim

_KEPT = r"proved for {} between [0-9.e+-]+ and [0-9.e+-]+, where floats keep the formulas"


def symbolic_claim(document: Document) -> SymbolicClaim | None:
    """Return a claim for all values of one parameter, None where the text is none.

    Raises
    ------
    RejectedError
        Where the proof is of another claim.
    """
    text = document.subject["claim"]
    try:
        claim = SymbolicClaim.of(text)
    except ValueError:
        return None
    if str(claim) != text or claim.to_dict() != document.proof["claim"]:
        raise RejectedError("`proof.claim` is not the claim of `subject`")
    return claim


def validate_assumptions(document: Document, claim: SymbolicClaim, own: tuple[str, ...]) -> None:
    """Refuse a proof that rests on something else than that the parameter is positive."""
    if len(claim.symbols) != 1:
        raise RejectedError("`assumptions` are about one parameter")
    (name,) = claim.symbols
    listed = document.assumptions
    begin = (IDEALIZED, SAME_CODE, f"the parameter {name} is positive")
    rest = tuple(each for each in own if each not in begin)
    kept = len(listed) > len(begin) and re.fullmatch(_KEPT.format(name), listed[len(begin)])
    if listed[: len(begin)] != begin or not kept or listed[len(begin) + 1 :] != rest:
        raise RejectedError("`assumptions` are not those on which such a proof rests")
