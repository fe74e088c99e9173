"""The next steps: what the reader of a report can do about its verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dpaudit.evidence import Finding, Verdict
from dpaudit.report.escape import plain
from dpaudit.report.paths import shown
from dpaudit.statistical.conclude import TOO_FEW
from dpaudit.violations import UNLOCATED, VIOLATIONS

if TYPE_CHECKING:
    from dpaudit.verdict import Report

# Of these the number of records may be the cause, which is public in some applications.
_OF_SIZES = frozenset({"DPA101", "DPA102", "DPA103", "DPA105", "DPA106", "DPA108", "DPA109",
                       UNLOCATED})  # fmt: skip
# Of these the size of a part of the data may be the cause.
_OF_GROUPS = frozenset({"DPA103", "DPA109"})
FOLLOWED = "`dpaudit explain functions` lists the functions that a proof follows."


def next_steps(report: Report, *, command: bool, saved: str | None = None) -> list[str]:
    """Return what to do next, in sentences.

    Parameters
    ----------
    report : Report
    command : bool
        Whether the reader works with the command line; otherwise options are those of Python.
    saved : str, optional
        The file in which the certificate is saved already.

    Returns
    -------
    list of str
    """
    if report.contradiction:
        return []  # then dpaudit is to be mended, and the text says so
    match report.verdict:
        case Verdict.REFUTED:
            return _after_refuted(report)
        case Verdict.NOT_REFUTED:
            return _after_not_refuted(report, command=command)
        case Verdict.VERIFIED:
            return _after_verified(report, command=command, saved=saved)
    return _after_inconclusive(report, command=command)


def _after_refuted(report: Report) -> list[str]:
    if report.step is not None:
        return [f"Correct step {report.step}, and calibrate the noise to the new last step."]
    errors = [f for f in report.findings if f.level == "error"]
    steps = [_after_finding(errors[0])] if errors else []
    correct = (
        "If these two datasets are not neighbors in your application, or if you meant another "
        "claim, correct the audit instead."
    )
    of_size = not errors or errors[0].id in _OF_SIZES
    if report.neighbors.startswith("AddRemove(") and of_size:
        correct += " Where the number of records is public, neighbors are `ReplaceOne(records)`."
    return [*steps, correct, *_public_sizes(report)]


def _public_sizes(report: Report) -> list[str]:
    """Say how neighbors are given if the sizes of groups, which set the noise, are public."""
    columns = re.findall(r"(\w+)=Categorical\(", report.neighbors)
    if not columns or "invariant=" in report.neighbors:
        return []
    if not any(finding.id in _OF_GROUPS for finding in report.findings):
        return []
    known = f'`ReplaceOne(…, invariant="{columns[0]}:sizes")`'
    return [f"If the sizes of the groups by `{columns[0]}` are public, neighbors are {known}."]


def _after_finding(finding: Finding) -> str:
    look_up = f"Run `dpaudit explain {finding.id}` for the reason and the remedy"
    if finding.id not in VIOLATIONS:
        return "Follow the two datasets of the witness through the code to the noise."
    if finding.file is None or finding.line is None:
        return f"{look_up}."
    place = f"{plain(shown(finding.file))}:{finding.line}"
    if finding.id == UNLOCATED:
        return f"The cause is in the mechanism at {place}, or in what it calls. {look_up}."
    return f"Change {place}. {look_up}."


def _after_not_refuted(report: Report, *, command: bool) -> list[str]:
    calls = "--max-calls" if command else "max_calls"
    more = f"Raise {calls} above the {report.calls:,} calls of this audit"
    steps = [f"This is not a proof. {more} to detect smaller violations."]
    reasons = [e.reason for e in report.evidence if e.engine == "formal" and e.reason]
    if reasons:
        proof = "For a proof, change the lines that the formal engine names under Evidence. "
        steps.append(proof + FOLLOWED)
    if any("the claim allows" in reason for reason in reasons):  # a cause, before more calls
        fix = "`dpaudit verify --fix`" if command else "`dpaudit.verify(…, fix=True)`"
        found = "The formal engine bounds the cost only above the claim: see Evidence."
        steps.insert(0, f"{found} {fix} may propose a change.")
    return steps


def _after_verified(report: Report, *, command: bool, saved: str | None) -> list[str]:
    steps = ["Check that every assumption below holds where the mechanism runs."]
    if saved is not None:
        steps.append(f"`dpaudit check {plain(saved)}` checks the certificate again.")
    elif report.certificate is not None:
        save = "--certificate FILE" if command else "report.certificate.save(FILE)"
        steps.append(f"Save the certificate with {save}; `dpaudit check FILE` checks it again.")
    return steps


def _after_inconclusive(report: Report, *, command: bool) -> list[str]:
    if not report.completed:
        return ["An audit that is not completed is not a pass. Correct the failure and run again."]
    draws = next((e for e in report.evidence if e.engine == "statistical"), None)
    raising = "change what the reasons name"
    if any(e.cut_short for e in report.evidence if e.verdict is Verdict.INCONCLUSIVE):
        raising = f"allow more time, or {raising}"
    elif draws is not None and TOO_FEW in draws.reason:
        raising = f"raise {'--max-calls' if command else 'max_calls'}, or {raising}"
    steps = [f"This is not a pass. {raising[0].upper()}{raising[1:]}, and run again."]
    steps += _public_sizes(report)
    if any(e.engine == "formal" and "not understood" in e.reason for e in report.evidence):
        steps.append(FOLLOWED)
    drawable = hasattr(report.claim, "half_planes")  # a claim of numbers, not of symbols
    if drawable and (draws is None or draws.verdict is None):  # `verify` samples for a fixed time
        audit = "`dpaudit audit`" if command else "`dpaudit.audit`"
        steps.append(
            f"{audit} with its default engines samples more: it refutes the claim, or says which "
            "violation it would have detected."
        )
    return steps
