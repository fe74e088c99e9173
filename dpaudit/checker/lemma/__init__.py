"""Proves claims by a lemma: follows the program on two neighboring datasets, in a solver's words.

Both datasets are there at once: what is read from their sorted values are values of two functions
of the place, of which cvc5 is told how they interlace. What the program does says which lemma may
be about it; each condition is asked, and what the lemma gives is compared with the claim. The
prover asks `conclude` for a conclusion; `check` draws it anew from the certificate's program, and
every line of a certificate must be as it is drawn then. The lemmas themselves are taken on trust;
their proofs stand in the modules.
"""

from __future__ import annotations

from dpaudit.checker.cost.run import carefully
from dpaudit.checker.cost.statement import nouns, program_of, validate_found
from dpaudit.checker.file import Document, Work, fields, proof_of
from dpaudit.checker.lemma.application import Lemma
from dpaudit.checker.lemma.conclusion import Conclusion, conclude

__all__ = ["Conclusion", "check", "conclude"]

_PROOF = {
    "kind": str,
    "claim": dict,
    "lemma": dict,
    "numbers": dict,
    "spent": str,
    "allowed": str,
    "rule": str,
    "facts": list,
    "place": str,
    "assumptions": list,
}
_LEMMA = {"name": str, "statement": str, "source": str, "requires": list}


@carefully
def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check a certificate of the kind ``lemma``; return what was taken on trust.

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
    proof = proof_of(document, "lemma", _PROOF)
    fields(proof["lemma"], _LEMMA, "`proof.lemma`")
    claim, neighbors = nouns(document, work, (Lemma(**proof["lemma"]).assumption,))
    program, trusted = program_of(document, document.subject["mechanism"], claim)
    found = conclude(program, claim, neighbors, work)
    validate_found(proof, found.to_dict())
    lemma = f"the lemma on {found.lemma.name}"
    return (*trusted, *found.trusted, lemma, "the interval arithmetic of flint")
