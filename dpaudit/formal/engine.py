"""The formal engine: lifts the source, and lets each way of reasoning try to decide the claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Budget, Evidence, Progress, Suspect, Verdict, Witness
from dpaudit.formal.attempts import Proof, decided_by
from dpaudit.formal.refutation import Counterexample
from dpaudit.reference import reference

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.formal.certificate import Certificate
    from dpaudit.formal.program import Program
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

SECONDS = 20.0  # of one audit, unless it says otherwise
IDEALIZED = "numbers are real and noise is drawn exactly from its distribution"
SAME_CODE = "the source that was read is the code that runs"


class FormalEngine:
    """Proves a claim from the source, or refutes it with a counterexample.

    Parameters
    ----------
    timeout : float
        Seconds for one mechanism.
    """

    name = "formal"

    def __init__(self, timeout: float = SECONDS) -> None:
        self.timeout = timeout

    def examine(
        self,
        subject: Subject,
        claim: Claim,
        neighbors: Neighbors,
        budget: Budget,
        suspects: Sequence[Suspect] = (),
        *,
        runner: Runner | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evidence:
        """Return VERIFIED with a certificate, REFUTED with a counterexample, or no verdict."""
        began = time.monotonic()
        seconds = min(self.timeout, budget.max_seconds or self.timeout)
        decided, reasons = decided_by(subject, claim, neighbors, began + seconds)
        evidence: dict[str, Any] = {
            "claim": str(claim),
            "source_hash": subject.source_hash,
            "seed": budget.seed,
            "seconds": time.monotonic() - began,
        }
        if decided is None:
            return Evidence("formal", None, reasons, **evidence)
        program, result = decided
        if isinstance(result, Counterexample):
            return _refutation(subject, claim, result, evidence)
        if budget.arithmetic == "float":
            reason = f"proved only where {IDEALIZED}; the audit asks for the arithmetic of floats"
            return Evidence("formal", None, reason, **evidence)
        certificate = certificate_of(subject, claim, neighbors, program, result)
        return Evidence(
            "formal",
            Verdict.VERIFIED,
            certificate=certificate,
            assumptions=certificate.assumptions,
            **evidence,
        )


def certificate_of(
    subject: Subject, claim: Claim, neighbors: Neighbors, program: Program, proof: Proof
) -> Certificate:
    """Return what `dpaudit check` accepts.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    program : Program
    proof : Proof
    """
    from dpaudit.formal.certificate import Certificate
    from dpaudit.formal.hashing import to_dict

    written = proof.to_dict()
    return Certificate(
        kind=written["kind"],
        subject={
            "mechanism": reference(subject.function),
            "claim": str(claim),
            "neighbors": str(neighbors),
        },
        program=to_dict(program),
        sources=program.sources,
        proof=written,
        assumptions=tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *proof.assumptions))),
    )


def _refutation(
    subject: Subject, claim: Claim, found: Counterexample, evidence: dict[str, Any]
) -> Evidence:
    witness = Witness(
        left=found.left,
        right=found.right,
        event=found.event,
        counts=None,
        how=found.how,
        mechanism=reference(subject.function),
        claim=claim,
        epsilon=found.epsilon,
        confidence=1.0,
        takes_rng=subject.takes_rng,
        vectorized=subject.vectorized,
        source=subject.source or "",
        file=subject.file,
    )
    return Evidence(
        "formal",
        Verdict.REFUTED,
        found.certified,
        findings=(found.finding,),
        witness=witness,
        epsilon=found.epsilon,
        confidence=1.0,
        pairs_tried=1,
        **evidence,
    )
