"""Proves a claim by what every release costs, as `dpaudit.checker.cost` concludes it."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.checker.cost import Conclusion, conclude
from dpaudit.checker.cost.statement import ASSUMPTIONS
from dpaudit.claims import Claim
from dpaudit.formal.conclusion import ConcludedProof, concluded
from dpaudit.formal.program import Program
from dpaudit.neighbors import Neighbors


@dataclass(frozen=True, slots=True)
class CostProof(ConcludedProof[Conclusion]):
    """That the cost of all releases stays within the claim, on every path."""

    kind = "cost"


def prove_by_cost(
    program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float = float("inf")
) -> CostProof:
    """Follow the records that changed on every path, and compare what is released with the claim.

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
        Where the claim is not proved, with the line that stopped it; it may hold all the same.
    """
    found = concluded(conclude, program, claim, neighbors, deadline, iterators=True)
    return CostProof(claim, found, (*neighbors.assumptions(), *ASSUMPTIONS))
