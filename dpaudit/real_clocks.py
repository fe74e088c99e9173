"""Refutations that were seen while clocks and addresses stood still, seen again while they do not.

Where code reads a clock or an address, audits run it with clocks that stand still and with ``id``
and ``hash`` that count (`dpaudit.outputs.clocks`), so that neither tells the two datasets apart.
Such a run may also do what no real run does: a deadline that was set at import lies a day ahead, or
a dict that is asked for ``id(x)`` holds another address. So a claim is refuted only if draws with
real clocks and addresses refute it on the same pair. This takes refutations back and makes none,
whatever alpha those draws have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpaudit.claims import Claim
from dpaudit.evidence import Budget, Evidence, Suspect, Verdict, Witness
from dpaudit.neighbors import Neighbors, Pair
from dpaudit.subject import Subject
from dpaudit.worker import Runner
from dpaudit.worker.deadline import now

CALLS = 20_000  # at most
SECONDS = 60.0  # where the audit has a limit of time
REASON = (
    "outputs contradict the claim while clocks and addresses stand still, as audits run code that "
    "reads them. Draws with real clocks on the same pair do not confirm it. Pass the time in as a "
    "parameter, and use no id() or hash() of objects"
)


def confirmed_with_clocks(
    found: Evidence,
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner_of: Callable[[Subject], Runner],
) -> Evidence:
    """Return evidence as it is, or without its refutation where real clocks do not confirm it.

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
    """
    witness = found.witness
    if found.verdict is not Verdict.REFUTED or "clocks" not in subject.touches:
        return found
    if not isinstance(witness, Witness) or witness.first_calls:
        return found  # of new processes, whose clocks are real; or of a step that runs no code
    from dpaudit.trace.confirm import confirmed

    real = replace(subject, frozen=False)
    pair = Pair(witness.left, witness.right, witness.how)
    allowed = replace(budget, max_calls=CALLS)
    asked = Evidence("trace", None, claim=str(claim), seed=budget.seed)
    runner = runner_of(real)
    if budget.max_seconds is not None:
        runner.known.until = now() + SECONDS
    try:
        again = confirmed(asked, [Suspect(pair)], real, claim, neighbors, allowed, runner, None)
    finally:
        runner.close()
    if again.verdict is Verdict.REFUTED:
        return replace(found, calls=found.calls + again.calls)
    return Evidence(
        found.engine,
        None,
        REASON,
        calls=found.calls + again.calls,
        pairs_tried=found.pairs_tried,
        seconds=found.seconds + again.seconds,
        claim=found.claim,
        source_hash=found.source_hash,
        seed=found.seed,
        notes=found.notes,
        alpha_spent=found.alpha_spent,
        cut_short=again.cut_short,
    )
