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
from dpaudit.evidence import Event
from dpaudit.formal.conclusion import ConcludedProof, concluded, working, written_program
from dpaudit.formal.exact_event import shown
from dpaudit.formal.program import Program
from dpaudit.formal.refutation import Counterexample, unlocated
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors

_SAMPLED = 40  # pairs that are tried of a relation that has too many


@dataclass(frozen=True, slots=True)
class ExactProof(ConcludedProof[Conclusion]):
    """That a claim holds on every pair, by exact distributions."""

    kind = "exact"


def prove_exact(
    program: Program,
    claim: Claim | SymbolicClaim,
    neighbors: Neighbors,
    *,
    deadline: float = float("inf"),
) -> ExactProof | Counterexample:
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
) -> Counterexample | None:
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


def _refutation(broken: BrokenError, claim: Any) -> Counterexample:
    excess = broken.shows
    with precisely():
        event = shown(excess.left, excess.right, claim)
    spent = excess.spent
    amount = "infinity" if spent.amount is None else spent.amount.shown
    certified = f"the claim bounds {amount} by {spent.allowed.shown}; exact distributions"
    said = f"outputs tell two neighboring datasets apart: {event.words}"
    return unlocated(
        (broken.left, broken.right), "two datasets of the domain", Event(event.words, event.source),
        said, certified, event.epsilon, event.p, event.q,
    )  # fmt: skip
