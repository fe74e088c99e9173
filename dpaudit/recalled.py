"""What the store keeps of a finished audit, beside the audit that is declared now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.collect import CollectedAudit
from dpaudit.evidence import Verdict
from dpaudit.outcome import Outcome, Status, row
from dpaudit.report.formats import MISSHAPEN
from dpaudit.store import StoreError
from dpaudit.violations import VIOLATIONS

_DECLARED = ("name", "mechanism", "claim", "neighbors", "expect")
_UNATTRIBUTED = "DPA201"


def validate_recalled(
    audits: Sequence[CollectedAudit], recalled: Mapping[str, Mapping[str, Any]]
) -> None:
    """Refuse to go on from what no run of these audits left.

    Parameters
    ----------
    audits : sequence of CollectedAudit
    recalled : mapping
        By name.

    Raises
    ------
    StoreError
    """
    for audit in audits:
        if audit.name in recalled and not is_usable(audit, recalled[audit.name]):
            raise StoreError(
                f"what the store holds of {audit.name} is no result of it; run without --resume"
            )


def is_usable(collected: CollectedAudit, kept: Mapping[str, Any]) -> bool:
    """Return whether what is kept can be of this audit.

    Parameters
    ----------
    collected : CollectedAudit
    kept : mapping
        As `Outcome.to_keep` gave it, or anything else that an object of JSON may be.

    Returns
    -------
    bool
        False where it lacks a part, is of another claim, neighbors or expectation, or says "as
        expected" of a verdict that is not.
    """
    declared = Outcome(collected).to_dict()
    if any(name not in kept or kept[name] != declared[name] for name in _DECLARED):
        return False
    outcome = Outcome(collected, recalled=kept)
    try:
        made = (outcome.status, row(outcome), outcome.said, outcome.to_dict(), outcome.calls)
        return _is_as_said(made[0], outcome, str(declared["expect"]))
    except MISSHAPEN:
        return False


def _is_as_said(status: Status, outcome: Outcome, expected: str) -> bool:
    if outcome.verdict is None or status in (Status.INCOMPLETE, Status.INTERRUPTED):
        return False
    refuted = outcome.verdict is Verdict.REFUTED
    if status is not Status.OK:
        return refuted or status is Status.UNEXPECTED
    if expected in VIOLATIONS:
        errors = [f for f in outcome.to_dict()["report"]["findings"] if f["level"] == "error"]
        found = {id for each in errors for id in (each["id"], *each["also"])}
        return refuted and bool(found & {expected, _UNATTRIBUTED})
    return refuted if expected == Verdict.REFUTED.name else outcome.verdict >= Verdict[expected]
