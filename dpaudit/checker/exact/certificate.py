"""Proves claims by exact distributions: runs the program on every dataset, on draws that fork.

Draws are independent and ideal; numbers are real, floats the rationals that they are. Every way
that the draws can fall is followed, and what is compared are exact numbers. The prover asks
`conclude` for a conclusion; `check` draws it anew from the certificate's program, and every line of
a certificate must be as it is drawn then.
"""

from __future__ import annotations

from dpaudit.checker.cost.statement import nouns, program_of, validate_found
from dpaudit.checker.exact.conclusion import conclude, run_on_floats
from dpaudit.checker.exact.numbers import SAME_NUMBERS, precisely
from dpaudit.checker.file import Document, Work, proof_of

_PROOF = {
    "kind": str,
    "claim": dict,
    "datasets": int,
    "pairs": int,
    "spent": str,
    "allowed": str,
    "loss": str,
    "attained_by": list,
    "inequalities": list,
    "ran": list,
    "at_ends": bool,
    "assumptions": list,
}
_TRUSTED = "Python and NumPy, which ran the program"


def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check the certificate of a proof by exact distributions.

    Parameters
    ----------
    document : Document
    work : Work

    Returns
    -------
    tuple of str
        What was taken on trust.

    Raises
    ------
    RejectedError
        Naming the field, or the pair of datasets.
    """
    proof = proof_of(document, "exact", _PROOF)
    claim, neighbors = nouns(document, work, run_on_floats(proof["ran"]))
    name = document.subject["mechanism"]
    program, trusted = program_of(document, name, claim, iterators=True)
    with precisely():
        concluded = conclude(program, claim, neighbors, work)
    validate_found(proof, concluded.to_dict())
    return (*trusted, _TRUSTED, *SAME_NUMBERS)
