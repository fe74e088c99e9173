"""Proofs by cost for all positive values of a parameter.

The program is followed with the parameter as a number of its own: a sum, a product or a test whose
outcome is not the same for every positive value is refused. What the certificate tells of prices
is formulas in the parameter; they are compared with what is found where it is 1.
"""

from __future__ import annotations

import re
from typing import Any

from dpaudit.checker.file import IDEALIZED, SAME_CODE, Document, NotCheckedError, RejectedError
from dpaudit.claims.symbolic import SymbolicClaim

_TOLD = ("price", "spent", "allowed", "releases")
_KEPT = r"proved for {} between [0-9.e+-]+ and [0-9.e+-]+, where floats keep the formulas"
_PLACES = ("place", "noise")


def symbolic_claim(document: Document) -> SymbolicClaim | None:
    """Return a claim for all values of one parameter, None where the text is none.

    Raises
    ------
    RejectedError, NotCheckedError
        Where the proof is of another claim, or of one that is not followed.
    """
    text = document.subject["claim"]
    try:
        claim = SymbolicClaim.of(text)
    except ValueError:
        return None
    if str(claim) != text or claim.to_dict() != document.proof["claim"]:
        raise RejectedError("`proof.claim` is not the claim of `subject`")
    if claim.notion != "PureDP" or len(claim.symbols) != 1:
        raise NotCheckedError(f"not checked: a proof by cost of the claim {text:.60}")
    free = set((document.program or {}).get("symbolic", ())) - set(claim.symbols)
    if free:
        raise NotCheckedError(f"not checked: a proof for all values of {min(free):.40} too")
    return claim


def validate_assumptions(document: Document, claim: SymbolicClaim, own: tuple[str, ...]) -> None:
    """Refuse a proof that rests on something else than that the parameter is positive."""
    (name,) = claim.symbols
    listed = document.assumptions
    begin = (IDEALIZED, SAME_CODE, f"the parameter {name} is positive")
    kept = len(listed) > len(begin) and re.fullmatch(_KEPT.format(name), listed[len(begin)])
    if listed[: len(begin)] != begin or not kept or listed[len(begin) + 1 :] != own:
        raise RejectedError("`assumptions` are not those on which such a proof rests")


def at_one(
    proof: dict[str, Any], program: dict[str, Any], claim: SymbolicClaim
) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Return what is told, the program and the claim where the parameter is 1."""
    (name,) = claim.symbols
    symbol = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")

    def put(value: Any) -> Any:
        if isinstance(value, str):
            return symbol.sub("1", value)
        if isinstance(value, list):
            return [put(item) for item in value]
        if isinstance(value, dict):
            return {k: v if k in _PLACES else put(v) for k, v in value.items()}
        return value

    told = {key: put(value) if key in _TOLD else value for key, value in proof.items()}
    place = program["entry"]["place"]
    one = {"kind": "Constant", "place": place, "value": {"float": (1.0).hex()}}
    fixed = {**program["fixed"], name: one}
    return (
        {**told, "obligation": None, "conditions": []},
        {**program, "symbolic": [], "fixed": fixed},
        claim.at({name: 1.0}),
    )
