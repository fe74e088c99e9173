"""The line of the cause of a refutation, from traces of its witness."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Budget, Evidence, Finding, Verdict, Witness
from dpaudit.neighbors import Pair
from dpaudit.outputs import Raised
from dpaudit.trace.forms import in_branch
from dpaudit.trace.roles import by_role
from dpaudit.trace.wiring import HANDED
from dpaudit.violations import UNLOCATED

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
        That refutes the claim; returned as it is where traces have found it, or where the traces
        tell nothing that is more specific.
    subject : Subject
    claim : Claim
    neighbors : Neighbors
    budget : Budget
        With the calls and the time that are left; there are `ALLOWED` calls at least, beyond those
        of the audit. No error probability is spent: the claim is refuted already.
    runner : Runner
    """
    place = next((i for i, f in enumerate(evidence.findings) if f.level == "error"), None)
    if evidence.verdict is not Verdict.REFUTED or place is None:
        return evidence
    findings = list(evidence.findings)
    if findings[place].pair is not None and not _is_traced(findings[place], subject):
        evidence = _traced(evidence, place, subject, claim, neighbors, budget, runner)
        findings = list(evidence.findings)
    ran = partial(_lines_of_runs, findings[place], subject, budget, runner)
    findings[place] = by_role(findings[place], rows=_rows(neighbors), ran=ran, subject=subject.file)
    return replace(evidence, findings=tuple(findings))


def with_roles(source: Evidence, refuted: Evidence, subject: Subject) -> Evidence:
    """Return what the source shows, with the line that forms it.

    That line is looked for where a finding names a line of the noise, or one that returns keys.

    Parameters
    ----------
    source : Evidence
        Of the static engine.
    refuted : Evidence
        Whose refutation says which lines draw the noise.
    subject : Subject
    """
    error = next((f for f in refuted.findings if f.level == "error"), None)
    if error is None or refuted.verdict is not Verdict.REFUTED:
        return source
    noise = tuple(each for each in error.related if each[2].endswith("noise"))

    def moved(finding: Finding) -> Finding:
        on_noise = (finding.file, finding.line) in [each[:2] for each in noise]
        source = linecache.getline(finding.file or "", finding.line or 0).lstrip()
        if not on_noise and not (finding.id == "DPA109" and source.startswith("return ")):
            return finding
        found = by_role(replace(finding, related=noise), subject=subject.file)
        same = found.id == finding.id
        return replace(finding, file=found.file, line=found.line) if same else finding

    return replace(source, findings=tuple(map(moved, source.findings)))


def _lines_of_runs(
    finding: Finding, subject: Subject, budget: Budget, runner: Runner
) -> frozenset[tuple[str, int]]:
    """Return the files and lines that calls on a refuted pair come to.

    There are none if they are not run, or if they come to more lines than are noted.
    """
    from dpaudit.trace.lines import MOST_STEPS, History
    from dpaudit.trace.record import Bench
    from dpaudit.worker.processes import ProcessRunner
    from dpaudit.worker.tasks import WorkerError

    histories: list[History] = []
    if finding.pair is not None and not (isinstance(runner, ProcessRunner) or subject.elsewhere):
        with Bench(subject, budget.max_seconds) as bench, suppress(WorkerError):
            for dataset in finding.pair:
                histories.append(History())
                bench.run(dataset, (budget.seed, 0), traced=False, watch=histories[-1])
    if any(len(history.lines) > MOST_STEPS for history in histories):
        return frozenset()
    return frozenset((place.file, place.line) for h in histories for place in h.lines)


def _rows(neighbors: Neighbors) -> int:
    """Return in how many rows neighbors may differ."""
    of_user = getattr(neighbors, "rows_per_unit", None) or 1
    return int(getattr(neighbors, "group", 1)) * int(of_user)


def _traced(
    evidence: Evidence,
    place: int,
    subject: Subject,
    claim: Claim,
    neighbors: Neighbors,
    budget: Budget,
    runner: Runner,
) -> Evidence:
    """Return a refutation whose finding at a place is explained by traces of its pair."""
    from dpaudit.trace.engine import TraceEngine
    from dpaudit.trace.only import Only

    finding = evidence.findings[place]
    assert finding.pair is not None
    budget = replace(budget, max_calls=max(budget.max_calls, ALLOWED))
    only = Only(Pair(*finding.pair, ""), neighbors)
    causes: list[Finding] = []
    # What a rare output of that pair shows, a common one of another pair may show too.
    for relation in (only, neighbors)[: 1 + (finding.id == UNLOCATED)]:
        found = TraceEngine(pairs=PAIRS, share=0, unlocated=relation is neighbors).examine(
            subject, claim, relation, budget, runner=runner
        )
        evidence = replace(evidence, calls=evidence.calls + found.calls)
        causes += [s.finding for s in found.suspects if s.finding is not None]
        if causes:
            break
    findings = list(evidence.findings)
    findings[place] = told = explained(finding, causes)
    if told.id == "DPA102" and (told.file, told.line) == (subject.file, subject.line):
        told, made = _at_its_return(told, evidence.witness, subject, budget, runner, LEAVING)
        findings[place], evidence = told, replace(evidence, calls=evidence.calls + made)
    return replace(evidence, findings=tuple(findings))


ALLOWED = 2_000  # calls for the cause of a refutation that took all calls, or nearly all
PAIRS = 8  # that are traced, or as often the refuted one under other noise
LEAVING = 256  # calls at most, until the telling output leaves


def _at_its_return(
    finding: Finding, witness: Any, subject: Subject, budget: Budget, runner: Runner, calls: int
) -> tuple[Finding, int]:
    """Return a finding with the line by which its output leaves, and the calls that were made."""
    from dpaudit.trace.lines import History, returned_at
    from dpaudit.trace.record import Bench
    from dpaudit.worker.happened import happened
    from dpaudit.worker.processes import ProcessRunner
    from dpaudit.worker.tasks import WorkerError

    if not isinstance(witness, Witness) or isinstance(runner, ProcessRunner) or subject.elsewhere:
        return finding, 0
    with Bench(subject, budget.max_seconds) as bench, suppress(WorkerError):  # that time is over
        for number in range(calls):
            history = History()
            run = bench.run(witness.left, (budget.seed, number), traced=False, watch=history)
            if not isinstance(run.output, Raised) and any(happened(witness.event, [run.output])):
                at = returned_at(history)
                found = finding if at is None else replace(finding, file=at.file, line=at.line)
                return found, bench.calls
    return finding, bench.calls


def _is_traced(finding: Finding, subject: Subject) -> bool:
    """Whether traces have told the line already: sampling by itself knows that of the definition.

    What a proof finds it says for itself.
    """
    at_definition = (finding.file, finding.line) == (subject.file, subject.line)
    return finding.engine != "formal" and not at_definition


def explained(finding: Finding, causes: Sequence[Finding]) -> Finding:
    """Return a refutation with the cause that traces of its pair suspect, where that says more.

    Parameters
    ----------
    finding : Finding
        The refutation.
    causes : sequence of Finding
        Of the same pair, the most specific one first.

    Notes
    -----
    Of the same id the traces' line is taken, as they have seen the values, unless a proof has
    followed the value to another line than that of the noise or the output. An id that is left
    when no other one fits (`_LEFT_OVER`) gives way to any other. A private branch gives way to a
    value that leaves where that is formed outside of the branch, and candidates that the data
    make to the value of one that leaves. What shows now and then gives way to why it does:
    candidates or a scale from the data, or noise that ends.
    """
    from dpaudit.statistical.refutation import located

    causes = [cause for cause in causes if cause.line is not None or finding.line is None]
    if finding.id == UNLOCATED:
        return _named(finding, causes[0]) if causes else finding
    same = next((cause for cause in causes if cause.id == finding.id), None)
    if same is not None:
        if finding.engine != "formal":
            return located(finding, same)
        if not _is_followed(finding):
            finding = replace(finding, file=same.file, line=same.line)
        return finding
    for cause in causes:
        leaves = finding.id in cause.also and cause.id in finding.also and cause.id == "DPA101"
        # They differ in how often it leaves, or a noise leaves beside what it hides.
        if {finding.id, cause.id} == {"DPA101", "DPA102"} or (leaves and finding.id == "DPA110"):
            return replace(finding, file=cause.file, line=cause.line)
        if finding.engine != "formal":
            if cause.id in finding.also or finding.id in cause.also:
                return located(finding, cause)
        elif _gives_way(finding, cause):
            return _named(finding, cause)
    return _beyond(finding, causes)


def _is_followed(finding: Finding) -> bool:
    """Whether a finding has another line than those of the noise and of the output."""
    return (finding.file, finding.line) not in [related[:2] for related in finding.related]


def _beyond(finding: Finding, causes: Sequence[Finding]) -> Finding:
    """Return a refutation with the line for which traces have left the one that it has.

    They have seen that line too: it only hands a value to the code under audit.
    """
    for cause in causes:
        if (finding.file, finding.line, HANDED) in cause.related:
            return replace(finding, file=cause.file, line=cause.line)
    return finding


def _named(finding: Finding, cause: Finding) -> Finding:
    """Return a refutation by its cause, and with all other kinds that fit."""
    from dpaudit.statistical.refutation import located

    named = located(finding, cause)
    also = dict.fromkeys((*named.also, finding.id, *finding.also))
    if "DPA105" in also:  # too little noise: only the intention tells which of both it is
        also["DPA106"] = None
    return replace(named, also=tuple(id for id in also if id not in (named.id, UNLOCATED)))


def _gives_way(finding: Finding, cause: Finding) -> bool:
    """Whether what a proof says of a cause is less specific than what traces say."""
    if finding.id in _LEFT_OVER:
        one_release = (finding.id, cause.id) == ("DPA105", "DPA107")
        return not one_release and cause.id not in ("DPA101", "DPA102", "DPA108")
    if finding.id == "DPA102" and cause.id in ("DPA103", "DPA109"):
        return True
    if finding.id in ("DPA101", "DPA102") and cause.id == "DPA106":
        return finding.id in cause.also
    if cause.id not in finding.also:
        return False
    if finding.id == "DPA108" and cause.id in ("DPA101", "DPA103"):
        return not in_branch(finding.file, finding.line, cause.file, cause.line)
    return (finding.id, cause.id) == ("DPA109", "DPA101") and "DPA102" in finding.also


_LEFT_OVER = ("DPA105", "DPA106", "DPA107")  # said where nothing that is more specific fits
