"""Proves a claim by exact distributions, as `dpaudit.checker.exact` concludes it, or refutes it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.checker.cost.statement import ASSUMPTIONS
from dpaudit.checker.exact.conclusion import Conclusion, conclude, refuting, run_on_floats
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import FAULTS, BrokenError, RejectedError
from dpaudit.claims import Claim
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.formal.conclusion import ConcludedProof, concluded, working, written_program
from dpaudit.formal.exact_event import Shown, shown
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors, dataset_to_source

_SAMPLED = 40  # pairs that are tried of a relation that has too many


@dataclass(frozen=True, slots=True)
class ExactProof(ConcludedProof[Conclusion]):
    """That a claim holds on every pair, by exact distributions."""

    kind = "exact"


@dataclass(frozen=True, slots=True, eq=False)
class ExactRefutation:
    """That the claim fails on a pair, by exact distributions.

    Attributes
    ----------
    claim : Claim
    left, right : Any
        The datasets; the event is too likely on the left.
    spent, allowed : str
        What the claim bounds, and its bound.
    shown : Shown
        Outputs that tell the two datasets apart, to be run, and the epsilon that they show.
    """

    claim: Claim
    left: Any
    right: Any
    spent: str
    allowed: str
    shown: Shown

    def to_dict(self) -> dict[str, Any]:
        """Return the counterexample as JSON-able values."""
        return {
            "kind": "exact-refutation",
            "claim": self.claim.to_dict(),
            "left": dataset_to_source(self.left),
            "right": dataset_to_source(self.right),
            "event": {"words": self.shown.words, "source": self.shown.source},
            "spent": self.spent,
            "allowed": self.allowed,
            "assumptions": list(ASSUMPTIONS),
        }


def prove_exact(
    program: Program,
    claim: Claim | SymbolicClaim,
    neighbors: Neighbors,
    *,
    deadline: float = float("inf"),
) -> ExactProof | ExactRefutation:
    """Prove or refute a claim by the exact distribution on every dataset.

    Parameters
    ----------
    program : Program
    claim : Claim or SymbolicClaim
        One for all values of a parameter is proved or not decided.
    neighbors : Neighbors
        Where there are too many datasets, some pairs are tried, which can refute only.
    deadline : float
        In terms of `dpaudit.formal.clock.now`.

    Raises
    ------
    Unsupported
        Where neither is reached.
    """
    try:
        found = concluded(conclude, program, claim, neighbors, deadline, iterators=True)  # type: ignore[arg-type]
    except BrokenError as broken:
        return _refutation(broken, claim)
    except Unsupported:
        refuted = _sampled(program, claim, neighbors, deadline)
        if refuted is None:
            raise
        return refuted
    own = (*neighbors.assumptions(), *ASSUMPTIONS, *run_on_floats(found.ran))
    return ExactProof(claim, found, own)  # type: ignore[arg-type]


def _sampled(
    program: Program, claim: Claim | SymbolicClaim, neighbors: Neighbors, deadline: float
) -> ExactRefutation | None:
    """Look for a pair that refutes, among a few of very many."""
    if isinstance(claim, SymbolicClaim):
        return None
    work = working(deadline)
    proposed = itertools.islice(neighbors.pairs(np.random.default_rng(0)), _SAMPLED)
    try:
        written = written_program(program, iterators=True)
        with precisely():
            refuting(written, claim, ((pair.left, pair.right) for pair in proposed), work)
    except BrokenError as broken:
        return _refutation(broken, claim)
    except (RejectedError, *FAULTS):
        pass
    return None


def _refutation(broken: BrokenError, claim: Any) -> ExactRefutation:
    excess = broken.shows
    with precisely():
        event = shown(excess.left, excess.right, claim)
    spent = excess.spent
    amount = "infinity" if spent.amount is None else spent.amount.shown
    return ExactRefutation(claim, broken.left, broken.right, amount, spent.allowed.shown, event)
