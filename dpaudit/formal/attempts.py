"""The ways of reasoning in their order, until one decides."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from dpaudit.formal.limit import OutOfTime, time_limit
from dpaudit.formal.refutation import UNLOCATED, Counterexample, counterexample
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Pair

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.formal.program import Program
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject

LOCATING = 3.0  # seconds, to find the cause of a violation that is certified already
RUNNING = 0.15  # of the time that is left is spent on running pairs without an aim
GRACE = 0.5  # seconds that an attempt may take to see its deadline by itself
SECOND_LOOK, FEW = 1.0, 8  # seconds and pairs on which the code of a proved program is run


class Proof(Protocol):
    """What an attempt returns where the claim holds."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the proof rests on."""

    def to_dict(self) -> dict[str, Any]:
        """Return what a checker needs, with its ``kind``."""


class Attempt(Protocol):
    """One way of reasoning; raises `Unsupported` where it cannot decide."""

    def __call__(
        self, program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        """Decide the claim before the deadline, on the clock of `time.monotonic`."""


def decided_by(
    subject: Subject, claim: Claim, neighbors: Neighbors, deadline: float
) -> tuple[tuple[Program, Proof | Counterexample] | None, str]:
    """Return the program with what was proved or refuted of it, or why neither was.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    deadline : float
        On the clock of `time.monotonic`.
    """
    from dpaudit.formal.lift import lift

    try:
        program = lift(subject)
    except Unsupported as stopped:
        return None, f"the source is not understood: {stopped}"
    reasons = []
    for attempt in _attempts(subject):
        if time.monotonic() >= deadline:
            reasons.append("the time ran out")
            break
        try:
            with time_limit(deadline - time.monotonic() + GRACE):
                found = attempt(program, claim, neighbors, deadline=deadline)
        except OutOfTime:
            reasons.append("the time ran out")
        except Unsupported as stopped:
            reasons.append(str(stopped))
        except Exception as error:  # a fault of ours must not end the audit, nor pass for a proof
            reasons.append(f"the prover failed ({type(error).__name__}: {error})")
        else:
            if isinstance(found, Counterexample):
                return (program, _located(found, subject, program, claim, neighbors)), ""
            return (program, _second_look(found, subject, program, claim, neighbors)), ""
    return None, "; ".join(dict.fromkeys(reasons))


def _attempts(subject: Subject) -> tuple[Attempt, ...]:
    """Return the proofs, quickest first, and last what runs the program on pair after pair."""
    from dpaudit.formal.alignment.proof import AlignmentRefutation
    from dpaudit.formal.alignment.prove import prove_by_alignment
    from dpaudit.formal.cost import prove_by_cost
    from dpaudit.formal.counterexample import refute
    from dpaudit.formal.exact import Refutation, prove_exact

    def by_alignment(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        proof = prove_by_alignment(program, claim, neighbors, deadline=deadline)
        return counterexample(proof) if isinstance(proof, AlignmentRefutation) else proof

    def by_enumeration(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        proof = prove_exact(program, claim, neighbors, deadline=deadline)
        return counterexample(proof) if isinstance(proof, Refutation) else proof

    def by_running(
        program: Program, claim: Claim, neighbors: Neighbors, *, deadline: float
    ) -> Proof | Counterexample:
        until = time.monotonic() + RUNNING * (deadline - time.monotonic())
        return counterexample(refute(program, claim, neighbors, subject, deadline=until))

    return prove_by_cost, by_alignment, by_enumeration, by_running


def _second_look(
    proof: Proof, subject: Subject, program: Program, claim: Claim, neighbors: Neighbors
) -> Proof | Counterexample:
    """Return the proof, or a runnable counterexample, which beats it."""
    from dpaudit.formal.counterexample import refute

    until = time.monotonic() + SECOND_LOOK
    try:
        with time_limit(SECOND_LOOK + GRACE):
            found = refute(program, claim, neighbors, subject, deadline=until, pairs=FEW)
    except (Unsupported, OutOfTime):
        return proof
    return counterexample(found)


def _located(
    found: Counterexample, subject: Subject, program: Program, claim: Claim, neighbors: Neighbors
) -> Counterexample:
    """Look for the cause of a violation on the pair that shows it."""
    from dpaudit.formal.counterexample import refute

    if found.finding.id != UNLOCATED:
        return found
    pair = Pair(found.left, found.right, found.how)
    until = time.monotonic() + LOCATING
    try:
        with time_limit(LOCATING + GRACE):
            again = refute(
                program, claim, neighbors, subject, deadline=until, first=(pair,), pairs=0
            )
    except (Unsupported, OutOfTime):
        return found
    return counterexample(again)
