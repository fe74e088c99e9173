"""Checks certificates of the kind ``core``: lowers the source anew, and has the kernel replay.

Nothing of the program that the file holds is used: the derivation must be one of the code at hand.
"""

from __future__ import annotations

from typing import Any

from dpaudit.checker.around import statement
from dpaudit.checker.file import (
    IDEALIZED,
    MECHANISM,
    SAME_CODE,
    Document,
    NotCheckedError,
    RejectedError,
    Work,
    fields,
)
from dpaudit.checker.lifted import program_at_hand
from dpaudit.notation import NotationError, parse_claim, parse_neighbors

LOWERED = "dpaudit's lowering of that program to Core, and what Core's primitives mean"
_PROOF = {
    "kind": str,
    "claim": dict,
    "core": list,
    "steps": list,
    "spent": str,
    "assumptions": list,
}


def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``core``; return what was taken on trust.

    Parameters
    ----------
    document : Document
    work : Work

    Raises
    ------
    RejectedError
        Where the kernel does not accept the derivation.
    NotCheckedError
        Where the code at hand is not read.
    """
    from dpaudit.core.proof import ASSUMPTIONS, replay
    from dpaudit.formal.unsupported import Unsupported
    from dpaudit.kernel import Refusal

    proof = document.proof
    fields(proof, _PROOF, "`proof`")
    if proof["kind"] != "core" or document.program is None:
        raise RejectedError("`proof.kind` is not 'core', or there is no program")
    claim, neighbors = _nouns(document)
    if claim.to_dict() != proof["claim"]:
        raise RejectedError("`proof.claim` is not the claim of `subject`")
    own = (*neighbors.assumptions(), *ASSUMPTIONS)
    if tuple(proof["assumptions"]) != own:
        raise RejectedError("`proof.assumptions` are not those on which such a proof rests")
    if document.assumptions != tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *own))):
        raise RejectedError("`assumptions` are not those on which such a proof rests")
    program = program_at_hand(document, work)
    steps = proof["steps"]
    for place, step in enumerate(steps):
        fields(step, {"rule": str, "var": int, "concludes": dict}, f"`proof.steps[{place}]`")
    try:
        theorem = replay(program, claim, neighbors, steps)
    except Unsupported as unsupported:
        raise NotCheckedError(f"not checked: the source is not lowered: {unsupported}") from None
    except Refusal as refusal:
        raise RejectedError(f"the kernel refuses the derivation: {refusal!s:.300}") from None
    if str(theorem.core).split("\n") != proof["core"] or theorem.spent != proof["spent"]:
        raise RejectedError("`proof` tells of another program or cost than the derivation")
    return (LOWERED, "the kernel, and the balls of flint that it computes with")


def _nouns(document: Document) -> tuple[Any, Any]:
    """Return the claim and the neighbors, which must be written as they write themselves."""
    statement(document.subject, MECHANISM)
    texts = document.subject
    try:
        claim = parse_claim(texts["claim"])
    except NotationError as error:
        raise RejectedError(f"`subject.claim` cannot be read: {error}") from None
    try:
        neighbors = parse_neighbors(texts["neighbors"])
    except NotationError:
        text = texts["neighbors"]
        raise NotCheckedError(f"not checked: `neighbors` cannot be read: {text:.80}") from None
    if str(claim) != texts["claim"] or str(neighbors) != texts["neighbors"]:
        raise RejectedError("`subject` is not written as claims and neighbors write themselves")
    return claim, neighbors
