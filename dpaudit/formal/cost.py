"""Proves a claim by what every release costs, as `dpaudit.checker.cost` concludes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dpaudit.checker.cost import Conclusion, conclude
from dpaudit.checker.cost.run import FAULTS
from dpaudit.checker.cost.statement import ASSUMPTIONS, neighbors_of
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import RejectedError, Work
from dpaudit.checker.limits import LOOK
from dpaudit.checker.program import validated
from dpaudit.claims import Claim
from dpaudit.formal.clock import SECOND, charge, now
from dpaudit.formal.description import around
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.program import Place, Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors

__all__ = ["ASSUMPTIONS", "CostProof", "prove_by_cost", "stated", "unsupported"]

LONGEST = 60.0  # seconds on the clock of steps, as for a check


@dataclass(frozen=True, slots=True)
class CostProof:
    """That the cost of all releases stays within the claim, on every path.

    Attributes
    ----------
    claim : Claim
    conclusion : Conclusion
    assumptions : tuple of str
    """

    claim: Claim
    conclusion: Conclusion
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "cost",
            "claim": self.claim.to_dict(),
            **self.conclusion.to_dict(),
            "assumptions": list(self.assumptions),
        }


class Charged(Work):
    """Work that is done on the clock of a proof."""

    def left(self) -> float:
        """Count a step, and return the seconds that are left."""
        charge(int(LOOK * SECOND))
        return Work.left(self)


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
    work, entry = Charged(float("inf"), steps=min(deadline - now(), LONGEST)), program.entry
    try:
        written, described = stated(program, neighbors, work)
        with precisely():
            found = conclude(written, claim, described, work)
    except RejectedError as stopped:
        raise unsupported(stopped, entry.place) from None
    except FAULTS as error:  # what fails proves nothing
        raise Unsupported("what the releases cost cannot be computed", entry.place) from error
    return CostProof(claim, found, (*neighbors.assumptions(), *ASSUMPTIONS))


def stated(program: Program, neighbors: Neighbors, work: Work) -> tuple[dict[str, Any], Any]:
    """Return a program and its neighbors as a certificate states them.

    Parameters
    ----------
    program : Program
    neighbors : Neighbors
    work : Work
    """
    written = json.loads(json.dumps(to_dict(program)))
    validated(written, written["sources"], repeated=True)
    described = neighbors_of({"neighbors": str(neighbors), **around(neighbors)}, work)
    return written, described


def unsupported(stopped: RejectedError, entry: Place) -> Unsupported:
    """Return what stopped the checker's evaluator as a reason of a prover.

    Parameters
    ----------
    stopped : RejectedError
    entry : Place
        Of the mechanism, where the error names no line.
    """
    where = _place(stopped.place) or entry
    raised = Unsupported(stopped.what.removeprefix("not checked: "), where)
    lines = (_place(place) for place in stopped.releases)
    raised.understood = tuple(sorted({place.line for place in lines if place is not None}))
    raised.violation = stopped.violation
    return raised


def _place(text: str) -> Place | None:
    file, _, line = text.rpartition(":")
    return Place(file, int(line)) if file and line.isdigit() else None
