"""Proves a claim by a published lemma, as `dpaudit.checker.lemma` concludes it."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.checker.cost.statement import ASSUMPTIONS
from dpaudit.checker.lemma import Conclusion, conclude
from dpaudit.claims import Claim
from dpaudit.formal.conclusion import ConcludedProof, concluded
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import OutOfScope
from dpaudit.neighbors import Neighbors


@dataclass(frozen=True, slots=True)
class LemmaProof(ConcludedProof[Conclusion]):
    """That a lemma applies, and what it gives stays within the claim."""

    kind = "lemma"


def prove_by_lemma(
    program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float = float("inf")
) -> LemmaProof:
    """Find the lemma that is about the program, and prove what that needs of neighbors.

    Parameters
    ----------
    program : Program
    claim : Claim
    neighbors : Neighbors
    deadline : float
        In terms of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where no lemma is about the program, or its conditions are not proved.
    """
    found = concluded(conclude, program, claim, neighbors, deadline, not_checked=OutOfScope)
    own = (*neighbors.assumptions(), *ASSUMPTIONS, found.lemma.assumption)
    return LemmaProof(claim, found, own)
