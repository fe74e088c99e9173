"""Lets sampling decide what an engine suspects, on the very pair that it suspects."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Budget, Evidence, Progress, Suspect, Verdict
from dpaudit.trace.only import Only

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner

# Of the α for confirmation, and calls, for a look at the pair of the first suspect before its
# noise is steered, where nothing pays for what it shows: that takes few outputs to tell.
GLANCE_SHARE, GLANCE_CALLS = 0.25, 300
_FOUND_BY = {"trace": "a trace", "formal": "a counterexample from the source"}
CONFIRM_SHARES = (0.6, 0.2, 0.2)  # of the calls for confirmation, in proportion, one a suspect
_LATE = (
    "the time ended the draws that were to confirm a suspicion; without a limit they may refute "
    "what they did not refute here"
)
LOOK = 4_000  # calls for all suspects, after which one that has not earned
EARNED = 1.0  # nats is left to engines that follow


def confirmed(
    evidence: Evidence,
    suspected: list[Suspect],
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: Runner,
    progress: Callable[[Progress], None] | None,
    shares: Sequence[float] = CONFIRM_SHARES,
    *,
    look: int | None = None,
) -> Evidence:
    """Let the statistical engine decide, pair by pair.

    Parameters
    ----------
    evidence : Evidence
        Of the engine that suspects, which what is spent here is added to.
    suspected : list of Suspect
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    budget : Budget
        Its α is for each suspect, its calls are for all of them. Its time is a limit of `runner`,
        and plans nothing.
    runner : Runner
    progress : callable or None
    shares : sequence of float
        Of the calls, one a suspect, in proportion: a single suspect has all of them.
    look : int, optional
        Calls for all suspects, after which one is given up that has earned too little. Unless
        given, all calls are made.

    Returns
    -------
    Evidence
        REFUTED, with the id and the line that are suspected, where one is confirmed.
    """
    room, whole = budget.max_calls, sum(shares[: len(suspected)])
    spent: dict[str, Any] = {"calls": evidence.calls, "alpha_spent": evidence.alpha_spent}
    for suspect, share in zip(suspected, shares, strict=False):
        calls = min(int(share / whole * budget.max_calls), room)
        if calls < 2:
            break
        allowed = replace(budget, max_calls=calls)
        at_first = calls if look is None else min(calls, max(2, int(share / whole * look)))
        answer = _sampled(suspect, subject, claim, neighbors, allowed, runner, progress, at_first)
        room -= answer.calls
        spent = {
            "calls": spent["calls"] + answer.calls,
            "alpha_spent": spent["alpha_spent"] + answer.alpha_spent,
        }
        seconds = evidence.seconds + answer.seconds
        evidence = replace(evidence, seconds=seconds, **spent)
        if answer.cut_short and answer.verdict is not Verdict.REFUTED:
            notes = tuple(dict.fromkeys((*evidence.notes, _LATE)))
            evidence = replace(evidence, notes=notes, cut_short=True)
        if answer.verdict is Verdict.REFUTED:
            told = f"{_FOUND_BY[evidence.engine]}, confirmed by sampling on its pair"
            return replace(
                answer, engine=evidence.engine, reason=told, seconds=seconds, suspects=(),
                pairs_tried=evidence.pairs_tried, notes=(*evidence.notes, *answer.notes), **spent,
            )  # fmt: skip
        if not answer.completed:
            return replace(evidence, reason=answer.reason, completed=False)
    return evidence


def _sampled(
    suspect: Suspect,
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: Runner,
    progress: Callable[[Progress], None] | None,
    calls: int,
) -> Evidence:
    """Draw on the pair of a suspect with so many calls, and with twice as many while it earns.

    It is one race, which pauses: whether it goes on is decided by what it has drawn.
    """
    from dpaudit.statistical import StatisticalEngine
    from dpaudit.statistical.held import Held

    only = Only(suspect.pair, neighbors)
    held = Held(budget.alpha, -math.log(budget.alpha))
    while True:
        part = replace(budget, max_calls=calls, max_seconds=None, tier=None, tiers=1)
        answer = StatisticalEngine(held=held).examine(
            subject, claim, only, part, (suspect,), runner=runner, progress=progress
        )
        earns = held.may_go_on and held.log_e_value >= EARNED
        if answer.verdict is Verdict.REFUTED or calls >= budget.max_calls or not earns:
            return answer
        calls = min(2 * calls, budget.max_calls)
