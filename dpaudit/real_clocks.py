"""Refutations of code that reads clocks, seen again with clocks of every other kind.

Where code reads a clock or an address, audits run it with clocks that go on at each look, and
without the addresses in its outputs (`dpaudit.outputs.clocks`), so that neither tells the two
datasets apart. Such a run may also do what no real run does: a deadline that was set at import lies
a day ahead, and a look for each record shows how many there are. So a claim is refuted only if
draws on the same pair refute it too with clocks that show the place where they are read, and with
real ones. This takes refutations back and makes none, whatever alpha those draws have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpaudit.claims import Claim
from dpaudit.evidence import Budget, Evidence, Suspect, Verdict, Witness
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.outputs.clocks import KINDS
from dpaudit.subject import Subject
from dpaudit.worker import Runner
from dpaudit.worker.deadline import now

CALLS, MOST_CALLS = 2_000, 20_000  # for each kind of clocks: where few have refuted; at most
SECONDS = 60.0  # where the audit has a limit of time
REASON = (
    "the code reads a clock or an address, and outputs contradict the claim with clocks of the "
    "kind {!r}. Draws with clocks of the kind {!r} on the same pair do not confirm it (see "
    "dpaudit.outputs.clocks). Pass the time in as a parameter, and use no id() or hash() of objects"
)
LATE = (
    "outputs contradict the claim with clocks of the kind {!r}. The time ended the draws that were "
    "to confirm it with clocks of the kind {!r}, which max_seconds=None does not"
)


def confirmed_with_clocks(
    found: Evidence,
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner_of: Callable[[Subject], Runner],
) -> tuple[Evidence, Subject]:
    """Return evidence as it is, or without its refutation where other clocks do not confirm it.

    Parameters
    ----------
    found : Evidence
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    budget : Budget
        Of the audit.
    runner_of : callable
        Returns what calls a subject.

    Returns
    -------
    evidence : Evidence
    subject : Subject
        For the engines that follow: with the clocks that took a refutation back, if any did.
    """
    witness = found.witness
    if found.verdict is not Verdict.REFUTED or "clocks" not in subject.touches:
        return found, subject
    if isinstance(witness, Witness) and witness.first_calls:
        return found, subject  # of new processes, whose clocks are real
    most = MOST_CALLS if witness is None else min(max(4 * found.calls, CALLS), MOST_CALLS)
    # Time ends these calls, and plans nothing: what they show hangs on counts alone.
    allowed = replace(
        budget, max_calls=most, max_seconds=None, tier=None, tiers=1, beside=None, until=None
    )
    for kind in (each for each in KINDS if each != subject.clocks):
        other = replace(subject, clocks=kind)
        runner = runner_of(other)
        if budget.max_seconds is not None:
            runner.known.until = now() + SECONDS
        try:
            again = _asked(witness, other, claim, neighbors, allowed, runner)
        finally:
            runner.close()
        if again is None:
            return found, subject
        found = replace(found, calls=found.calls + again.calls)
        if again.verdict is not Verdict.REFUTED:
            reason = (LATE if again.cut_short else REASON).format(subject.clocks, kind)
            return _taken_back(found, again, reason), other
    return found, subject


def _asked(
    witness: object,
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: Runner,
) -> Evidence | None:
    """Return what draws show on the pair of a witness, or of state where there is none."""
    if isinstance(witness, Witness):
        from dpaudit.trace.confirm import confirmed

        asked = Evidence("trace", None, claim=str(claim), seed=budget.seed)
        pair = Pair(witness.left, witness.right, witness.how)
        return confirmed(asked, [Suspect(pair)], subject, claim, neighbors, budget, runner, None)
    if witness is None:
        from dpaudit.statistical import StatisticalEngine

        return StatisticalEngine().examine(subject, claim, neighbors, budget, (), runner=runner)
    return None  # a step that runs no code


def _taken_back(found: Evidence, again: Evidence, reason: str) -> Evidence:
    """Return evidence of no verdict. Where time ended the draws, nothing else may pass."""
    return Evidence(
        found.engine,
        None,
        reason,
        calls=found.calls,
        pairs_tried=found.pairs_tried,
        seconds=found.seconds + again.seconds,
        claim=found.claim,
        source_hash=found.source_hash,
        seed=found.seed,
        notes=found.notes,
        alpha_spent=found.alpha_spent,
        completed=not again.cut_short,
        cut_short=again.cut_short,
    )
