"""The formal engine: lifts the source, and lets each way of reasoning try to decide the claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.checker.file import IDEALIZED, SAME_CODE
from dpaudit.evidence import (
    DEFECT,
    Budget,
    Evidence,
    Progress,
    ProofCheck,
    Suspect,
    Verdict,
    Witness,
)
from dpaudit.formal.clock import SECOND, Limit, fresh, steps, wall
from dpaudit.neighbors import Pair
from dpaudit.outputs.observed import EVERYTHING
from dpaudit.reference import reference
from dpaudit.spared import spared

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.formal.attempts import Check, Proof
    from dpaudit.formal.certificate import Certificate
    from dpaudit.formal.confirm import Confirmation
    from dpaudit.formal.program import Expression, Function, Program, Raise, Statement
    from dpaudit.formal.refutation import Counterexample
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

SECONDS = 20.0  # of the first tier of an audit, on the clock of steps
VERIFYING = 60.0  # of one call of `dpaudit.verify`, and of the last tier of an audit
FAULT = (
    "the proof worked on after its steps should have ended it; this is a fault of dpaudit, please "
    "report it with the mechanism"
)
INSTALL = "`pip install dpaudit` brings all that the formal engine needs"
WAYS = {
    "cost": "what the releases cost",
    "alignment": "an alignment of the noise",
    "exact": "exact distributions",
    "lemma": "a published lemma",
}
ALIKE = "the outputs of one call are independent and alike"


class FormalEngine:
    """Proves a claim from the source, or refutes it with a counterexample.

    Parameters
    ----------
    timeout : float, optional
        A limit in seconds of real time, beside `budget`.
    budget : float
        Seconds on the clock of steps, `dpaudit.formal.clock`: about those of a quiet machine. What
        is found within them is the same on every machine. Before the last tier, an audit has fewer.
    check : callable, optional
        What asks the checker about a certificate, `dpaudit.proof_check.proof_check`. Whoever
        leaves it out asks the checker about what is VERIFIED.
    """

    name = "formal"

    def __init__(
        self,
        timeout: float | None = None,
        *,
        budget: float = SECONDS,
        check: Callable[[Certificate, Claim, Neighbors, Subject], ProofCheck] | None = None,
    ) -> None:
        self.timeout = timeout
        self.budget = budget
        self.check = check

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
        if subject.elsewhere:
            reason = (
                f"the mechanism runs in {subject.elsewhere}; proofs apply to code in dpaudit's own"
            )
            return Evidence("formal", None, reason, claim=str(claim), seed=budget.seed)
        began = wall()
        given = min(self.timeout or math.inf, budget.max_seconds or math.inf)
        whole = self.timeout or self.budget
        seconds = whole if budget.is_last else min(whole, SECONDS)
        limit = Limit.of(given if given < math.inf else None, seconds)
        used = 0
        asked = self.check
        accepts: Check | None = None
        if asked is not None:

            def accepts(program: Program, proof: Proof) -> ProofCheck:
                made = certificate_of(subject, claim, neighbors, program, proof)
                return asked(made, claim, neighbors, subject)

        try:
            with fresh():
                try:
                    found = _found(
                        subject, claim, neighbors, budget, seconds, limit, given, runner, accepts
                    )
                finally:
                    used = steps()
        except ImportError as missing:
            found = Evidence("formal", None, f"{missing}; {INSTALL}")
        except Exception as error:  # a fault of ours must not end the audit, nor pass for a proof
            found = Evidence("formal", None, f"the prover failed ({type(error).__name__}: {error})")
        return replace(
            found,
            claim=str(claim),
            source_hash=subject.source_hash,
            seed=budget.seed,
            seconds=wall() - began,
            steps=used,
            steps_budget=int(seconds * SECOND),
            unfinished=found.unfinished and seconds < whole,
        )


def _found(
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    seconds: float,
    limit: Limit,
    given: float,
    runner: Runner | None,
    accepts: Check | None,
) -> Evidence:
    from dpaudit.formal.agreement import disagreement
    from dpaudit.formal.attempts import decided_by
    from dpaudit.formal.lift import assumptions
    from dpaudit.formal.refutation import Counterexample

    answer = decided_by(subject, claim, neighbors, seconds, limit, runner, accepts)
    result = answer.result
    if answer.late:
        ended = late(answer.reason, given, limit)
        reason = f"{answer.before}; {ended}" if answer.before else ended
        return Evidence(
            "formal", None, reason, findings=answer.seen, suspects=answer.suspects, cut_short=True
        )
    program = None if isinstance(result, Counterexample) else answer.program
    end = None if program is None else _only_end(program.entry.body)
    if end is not None:
        reason = (
            f"{end.place}: every call ends in this exception and releases nothing, which is hardly "
            "what was meant to be proved. Mend it, or audit the function that returns"
        )
        return Evidence("formal", None, reason)
    if program is not None and "return" in subject.observes and _only_none(program.entry):
        reason = (
            f"{program.entry.place}: every call returns None and releases nothing, which is hardly "
            "what was meant to be proved. Return the noisy value, or audit the function that does"
        )
        return Evidence("formal", None, reason, completed=False)
    if result is None or answer.program is None:
        reason = f"{answer.reason}{_remedy(answer.reason)}"
        return Evidence(
            "formal", None, reason, findings=answer.seen, suspects=answer.suspects,
            unfinished=answer.ran_out,
        )  # fmt: skip
    if isinstance(result, Counterexample):
        if not {"return", "exceptions"} <= subject.observes:
            reason = "a counterexample was found in outputs of which a part is not looked at"
            return Evidence("formal", None, reason, suspects=answer.suspects)
        return refutation(subject, claim, result, budget, runner)
    if budget.arithmetic == "float":
        reason = f"proved only if {IDEALIZED}; the audit asks for the arithmetic of floats"
        return Evidence("formal", None, reason)
    where = disagreement(subject, answer.program, neighbors, runner, budget.seed)
    if where:
        reason = f"the code does something else than was read from it, on {where}. {DEFECT}"
        return Evidence("formal", None, reason)
    certificate = certificate_of(subject, claim, neighbors, answer.program, result)
    return Evidence(
        "formal",
        Verdict.VERIFIED,
        f"proved by {WAYS.get(certificate.kind, certificate.kind)}",
        certificate=certificate,
        assumptions=(
            *certificate.assumptions,
            *assumptions(answer.program),
            answer.floats,
            *((ALIKE,) if subject.vectorized else ()),
        ),
        checked=answer.checked,
    )


def _only_end(body: Sequence[Statement]) -> Raise | None:
    """Return an exception in which every call ends; None where one may end otherwise."""
    from dpaudit.formal.program import Assign, Branch, Evaluate, Raise

    for statement in body:
        match statement:
            case Raise():
                return statement
            case Branch(yes=yes, no=no):
                first, second = _only_end(yes), _only_end(no)
                if first is not None and second is not None:
                    return first
                if not all(isinstance(each, Assign | Evaluate | Raise) for each in (*yes, *no)):
                    return None
            case Assign() | Evaluate():
                continue
            case _:
                return None
    return None


def _only_none(entry: Function) -> bool:
    """Whether every call returns None and emits nothing; exceptions may tell something too."""
    from dpaudit.formal.program import Branch, Constant, For, Raise, Return, While, walk

    def returned(body: Sequence[Statement]) -> Iterator[Expression]:
        for statement in body:
            match statement:
                case Return(value=value):
                    yield value
                case Branch(yes=first, no=second) | For(body=first, otherwise=second):
                    yield from returned((*first, *second))
                case While(body=first, otherwise=second):
                    yield from returned((*first, *second))

    nothing = all(isinstance(v, Constant) and v.value is None for v in returned(entry.body))
    return nothing and not any(isinstance(node, Raise) for node in walk(entry))


def late(doing: str, seconds: float, limit: Limit) -> str:
    """Return what to say where a limit on real time, set or a default, ended a proof.

    Parameters
    ----------
    doing : str
        What it ended, such as "proof by cost".
    seconds : float
        That it had.
    limit : Limit
    """
    if limit.working:
        return f"{FAULT} ({doing})"
    return f"{seconds:.3g} s of real time ended the {doing}; raise `timeout` or `max_seconds`"


def _remedy(reason: str) -> str:
    """Return what to do where the steps ran out."""
    from dpaudit.formal.attempts import RAN_OUT

    return "; `timeout` gives `dpaudit.verify` more of them" if RAN_OUT in reason else ""


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
            "mechanism": reference(subject.mechanism),
            "claim": str(claim),
            "neighbors": str(neighbors),
            **around(neighbors),
            **({} if subject.observes == EVERYTHING else {"observes": sorted(subject.observes)}),
        },
        program=to_dict(program),
        sources=program.sources,
        proof=written,
        assumptions=tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *proof.assumptions))),
    )


def _checked(ran: Confirmation) -> str:
    """Say what running the code checked of a refutation."""
    if ran.how == "consistent only":
        return f"the event is too rare to be seen when the code runs ({ran.said})"
    return f"the refutation was checked by running the code ({ran.said})"


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
    from dpaudit.formal.confirm import as_returned, confirmed

    found = as_returned(subject, found, budget.seed, runner)
    ran = confirmed(subject, claim, found, budget, runner)
    if not ran.how:
        pair = Pair(found.left, found.right, found.how)
        why = "the program that was read breaks the claim on it"
        suspects = (Suspect(pair, found.event, why, found.finding),)
        return Evidence("formal", None, ran.said, calls=ran.calls, suspects=suspects)
    failures: list[str] = []
    bound = spared(
        "the lower bound on the claim's parameter",
        lambda: parameter_at_least(claim, found.p[0], found.q[1]),
        failures,
        None,
    )
    witness = spared("the witness", lambda: _witness(subject, claim, found), failures, None)
    return Evidence(
        "formal",
        Verdict.REFUTED,
        found.certified,
        findings=(found.finding,),
        witness=witness,
        epsilon=found.epsilon,
        parameter_bound=bound,
        confidence=1.0,
        calls=ran.calls,
        pairs_tried=1,
        notes=(_checked(ran), *failures),
        replay=ran.how,
    )


def _witness(subject: Subject, claim: Claim, found: Counterexample) -> Witness:
    return Witness(
        left=found.left,
        right=found.right,
        event=found.event,
        counts=None,
        how=found.how,
        mechanism=reference(subject.mechanism),
        claim=claim,
        epsilon=found.epsilon,
        confidence=1.0,
        takes_rng=subject.takes_rng,
        vectorized=subject.vectorized,
        source=subject.source or "",
        file=subject.file,
        probabilities=(found.p[0], found.q[1]),
    )
