"""The line of the cause of a refutation, from traces of its witness."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.evidence import Budget, Evidence, Verdict
from dpaudit.neighbors import Pair

if TYPE_CHECKING:
    from dpaudit.claims import Claim
    from dpaudit.neighbors import Neighbors
    from dpaudit.subject import Subject
    from dpaudit.worker import Runner


def with_traced_cause(
    evidence: Evidence,
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: Runner,
) -> Evidence:
    """Return a refutation whose finding has the id and the line that traces of its pair suspect.

    Parameters
    ----------
    evidence : Evidence
        That refutes the claim; returned as it is where its finding has a line already, where the
        calls are spent, or where the traces tell nothing.
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    budget : Budget
        With the calls and the time that are left. No error probability is spent: the claim is
        refuted already.
    runner : Runner
    """
    from dpaudit.statistical.refutation import UNLOCATED, located
    from dpaudit.trace.engine import LEAST_CALLS, TraceEngine
    from dpaudit.trace.only import Only

    place = next((i for i, f in enumerate(evidence.findings) if f.level == "error"), None)
    if evidence.verdict is not Verdict.REFUTED or place is None or budget.max_calls < LEAST_CALLS:
        return evidence
    finding = evidence.findings[place]
    if finding.pair is None or (finding.file, finding.line) != (subject.file, subject.line):
        return evidence
    found = TraceEngine(pairs=2, share=0).examine(
        subject, claim, Only(Pair(*finding.pair, ""), neighbors), budget, runner=runner
    )
    evidence = replace(evidence, calls=evidence.calls + found.calls)
    causes = [s.finding for s in found.suspects if s.finding is not None]
    fitting = [c for c in causes if finding.id in (UNLOCATED, c.id, *c.also)]
    if not fitting:
        return evidence
    findings = list(evidence.findings)
    findings[place] = located(finding, fitting[0])
    return replace(evidence, findings=tuple(findings))
