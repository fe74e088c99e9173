"""The formal engine: lifts the source, and lets each way of reasoning try to decide the claim."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.evidence import Budget, Evidence, Progress, Suspect, Verdict, Witness
from dpaudit.formal.clock import processor_time
from dpaudit.neighbors import Pair
from dpaudit.reference import reference

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.formal.attempts import Proof
    from dpaudit.formal.certificate import Certificate
    from dpaudit.formal.program import Program
    from dpaudit.formal.refutation import Counterexample
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

SECONDS = 20.0  # of one audit, unless it says otherwise
IDEALIZED = "numbers are real and noise is drawn exactly from its distribution"
INSTALL = "`pip install dpaudit` brings all that the formal engine needs"
WAYS = {
    "cost": "what the releases cost",
    "alignment": "an alignment of the noise",
    "exact": "exact distributions",
    "lemma": "a published lemma",
}
SAME_CODE = "the source that was read is the code that runs"
ALIKE = "the outputs of one call are independent and alike"


class FormalEngine:
    """Proves a claim from the source, or refutes it with a counterexample.

    Parameters
    ----------
    timeout : float, optional
        Seconds for one mechanism. Unless it, or the audit, limits time, `SECONDS` of processor
        time: other work on the machine must not decide what is found.
    """

    name = "formal"

    def __init__(self, timeout: float | None = None) -> None:
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
        limited = self.timeout is not None or budget.max_seconds is not None
        seconds = min(self.timeout or SECONDS, budget.max_seconds or math.inf)
        try:
            with nullcontext() if limited else processor_time():
                found = _found(subject, claim, neighbors, budget, seconds, runner)
        except ImportError as missing:
            found = Evidence("formal", None, f"{missing}; {INSTALL}")
        except Exception as error:  # a fault of ours must not end the audit, nor pass for a proof
            found = Evidence("formal", None, f"the prover failed ({type(error).__name__}: {error})")
        return replace(
            found,
            claim=str(claim),
            source_hash=subject.source_hash,
            seed=budget.seed,
            seconds=time.monotonic() - began,
        )


def _found(
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    seconds: float,
    runner: Runner | None,
) -> Evidence:
    from dpaudit.formal.attempts import decided_by
    from dpaudit.formal.refutation import Counterexample

    answer = decided_by(subject, claim, neighbors, seconds, runner)
    result = answer.result
    if result is None or answer.program is None:
        return Evidence("formal", None, answer.reason, suspects=answer.suspects)
    if isinstance(result, Counterexample):
        return refutation(subject, claim, result, budget, runner)
    if budget.arithmetic == "float":
        reason = f"proved only where {IDEALIZED}; the audit asks for the arithmetic of floats"
        return Evidence("formal", None, reason)
    certificate = certificate_of(subject, claim, neighbors, answer.program, result)
    return Evidence(
        "formal",
        Verdict.VERIFIED,
        f"proved by {WAYS.get(certificate.kind, certificate.kind)}",
        certificate=certificate,
        assumptions=(*certificate.assumptions, *((ALIKE,) if subject.vectorized else ())),
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
    from dpaudit.formal.description import around
    from dpaudit.formal.hashing import to_dict

    written = proof.to_dict()
    return Certificate(
        kind=written["kind"],
        subject={
            "mechanism": reference(subject.function),
            "claim": str(claim),
            "neighbors": str(neighbors),
            **around(neighbors),
        },
        program=to_dict(program),
        sources=program.sources,
        proof=written,
        assumptions=tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *proof.assumptions))),
    )


def refutation(
    subject: Subject,
    claim: Claim,
    found: Counterexample,
    budget: Budget,
    runner: Runner | None,
) -> Evidence:
    """Return REFUTED where running the code confirms a counterexample, else no verdict.

    Parameters
    ----------
    subject : Subject
    claim : Claim
    found : Counterexample
    budget : Budget
    runner : Runner, optional
    """
    from dpaudit.claims.bound import parameter_at_least
    from dpaudit.formal.confirm import confirmed

    ran = confirmed(subject, found, budget, runner)
    if not ran.how:
        pair = Pair(found.left, found.right, found.how)
        suspects = (Suspect(pair, found.event, "the program that was read breaks the claim on it"),)
        return Evidence("formal", None, ran.said, calls=ran.calls, suspects=suspects)
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
        parameter_bound=parameter_at_least(claim, found.p[0], found.q[1]),
        confidence=1.0,
        calls=ran.calls,
        pairs_tried=1,
        notes=(f"the refutation was checked by running the code, {ran.said}",),
        replay=ran.how,
    )
