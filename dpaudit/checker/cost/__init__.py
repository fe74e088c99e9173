"""Proves claims by cost: follows both runs, for every way in which records may change.

For each pair of neighboring datasets the program is followed on both at once: the records that
changed are known but for the outcomes of tests on them, which are gone through one by one, and of
all others only what any record may be. What a sum moves by is what those records add to it. So the
bounds are those of single pairs, their costs add up along a path, and the largest is compared with
the claim. The prover asks `conclude` for a conclusion; `check` draws it anew from the certificate's
program, and every line of a certificate must be as it is drawn then.
"""

from __future__ import annotations

from dpaudit.checker.around import given
from dpaudit.checker.cost.conclusion import Conclusion, conclude
from dpaudit.checker.cost.run import carefully
from dpaudit.checker.cost.statement import nouns, program_of, validate_found
from dpaudit.checker.exact.numbers import SAME_NUMBERS
from dpaudit.checker.file import Document, Work, proof_of

__all__ = ["Conclusion", "check", "conclude"]

_PROOF = {
    "kind": str,
    "claim": dict,
    "spent": str,
    "allowed": str,
    "rule": str,
    "releases": list,
    "assumptions": list,
}


@carefully
def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``cost``; return what was taken on trust.

    Parameters
    ----------
    document : Document
    work : Work

    Raises
    ------
    RejectedError
        Where it proves nothing, or tells of something else than its program shows.
    NotCheckedError
        Where it could not be checked; the message names the line.
    """
    proof = proof_of(document, "cost", _PROOF)
    claim, neighbors = nouns(document, work)
    program, trusted = program_of(document, document.subject["mechanism"], claim, iterators=True)
    validate_found(proof, conclude(program, claim, neighbors, work).to_dict())
    return (
        *trusted,
        *given(neighbors, work),
        *SAME_NUMBERS,
    )
