"""What a run or the linter found as results: one rule, one place, one message each."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpaudit.report.audited import (
    accepted_because,
    in_words,
    verdict,
)
from dpaudit.report.escape import plain
from dpaudit.report.paths import is_inside
from dpaudit.violations import INVALID_IGNORE, UNUSED_IGNORE, VIOLATIONS

UNEXPECTED = "unexpected-verdict"
INCOMPLETE = "incomplete-audit"
UNUSABLE = "unusable-file"
EXPIRED = "expired-acceptance"
UNUSED = "unused-acceptance"
# What is wrong with a run rather than with a mechanism.
OWN_RULES = {
    UNEXPECTED: "An audit did not end with the verdict that it declares.",
    INCOMPLETE: "An audit could not be completed, which is never a pass.",
    INVALID_IGNORE: "A comment that accepts findings cannot be used, or has expired.",
    UNUSED_IGNORE: "A comment accepts a finding that is not there.",
    UNUSABLE: "A file could not be read, imported or analysed, which is never a pass.",
    EXPIRED: "The day has passed until which the baseline file accepts a finding.",
    UNUSED: "The baseline file accepts a finding that is not there any more.",
}
_PASSES = ("INCONCLUSIVE", "NOT_REFUTED", "VERIFIED")
_LINE = re.compile(r"\(line (\d+)\)$")


@dataclass(frozen=True, slots=True)
class Result:
    """One thing that a reader is to look at.

    Attributes
    ----------
    rule : str
        Id of a kind of violation, or one of `OWN_RULES`.
    level : str
        ``"error"``, ``"warning"`` or ``"note"``.
    message : str
        One line without control characters.
    file, line : str, int
        Relative to the root of the repository, and at least 1.
    related : tuple of (file, line, what)
        The way of the data from there, in files of the repository.
    subject : str
        The audit or the mechanism.
    located : bool
        Whether the line is the cause, and not merely where the mechanism begins.
    text : str
        What stands on the line.
    accepted : str or None
        Why it is accepted; None where it is not.
    in_source : bool
        Whether a comment beside the line accepts it.
    properties : mapping
        What else is known.
    """

    rule: str
    level: str
    message: str
    file: str
    line: int
    related: tuple[tuple[str, int, str], ...] = ()
    subject: str = ""
    located: bool = True
    text: str = ""
    accepted: str | None = None
    in_source: bool = False
    properties: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its rule, with the name of the kind of violation."""
        return str(VIOLATIONS[self.rule]) if self.rule in VIOLATIONS else self.rule


def fingerprints(results: Sequence[Result]) -> list[str]:
    """Return a text for each result that stays the same when its line moves.

    Parameters
    ----------
    results : sequence of Result

    Returns
    -------
    list of str

    Notes
    -----
    It is made of rule, file, subject and the text of the line, not of its number; results alike
    in all of these are counted.
    """
    seen: Counter[str] = Counter()
    made = []
    for result in results:
        parts = (result.rule, result.file, result.subject, " ".join(result.text.split()))
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
        seen[digest] += 1
        made.append(f"{digest}:{seen[digest]}")
    return made


def results_of_run(run: Mapping[str, Any]) -> list[Result]:
    """Return what a run found, and which of its audits went otherwise than declared.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    list of Result
        Findings of an audit that ends as it declares are accepted by that declaration where it
        expects the refutation, and those that the baseline accepts by its reason.
    """
    found = [result for audit in run["audits"] for result in _of_audit(audit)]
    for failure in run.get("failures", ()):
        line = _LINE.search(failure["message"])
        found.append(_unusable(failure, 1 if line is None else int(line[1])))
    return found + results_of_baseline(run)


def results_of_lint(linted: Mapping[str, Any]) -> list[Result]:
    """Return what the linter found.

    Parameters
    ----------
    linted : mapping
        As ``dpaudit lint --format json`` prints it.

    Returns
    -------
    list of Result
    """
    found = [_of_finding(finding, {}, "") for finding in linted["findings"]]
    found += [
        _of_finding(finding, {}, "", accepted=finding["reason"], in_source=True)
        for finding in linted["ignored"]
    ]
    found += [
        _of_finding(finding, {}, "", accepted=finding["reason"])
        for finding in linted.get("accepted", ())
    ]
    found += [_unusable(failure, 1) for failure in linted["failures"]]
    return found + results_of_baseline(linted)


def is_located(finding: Mapping[str, Any], report: Mapping[str, Any]) -> bool:
    """Whether the line of a finding is its cause, and not merely where the mechanism begins.

    Parameters
    ----------
    finding, report : mapping

    Returns
    -------
    bool
    """
    places = [(each.get("file"), each.get("line")) for each in (finding, report)]
    return None not in places[0] and places[0] != places[1]


def _of_audit(audit: Mapping[str, Any]) -> Iterator[Result]:
    report = audit.get("report")
    status, expected, name = audit["status"], audit["expect"], audit["name"]
    errors = 0
    declared = _declared(audit)
    if report is not None:
        accepted, ids = None, {finding["id"] for finding in report["findings"]}
        if status == "OK" and report["verdict"] == "REFUTED":
            accepted = audit["expected_because"] or f"the audit expects {expected}"
        elif status == "ACCEPTED":  # which speaks of errors alone
            accepted = accepted_because(audit)
            ids = {each["id"] for each in report["findings"] if each["level"] == "error"}
        properties = {
            "audit": name,
            "verdict": report["verdict"],
            "checked": report.get("checked"),
            "expected": expected,
            "claim": audit["claim"],
            "neighbors": audit["neighbors"],
            "epsilon": report["epsilon"],
            "confidence": report["confidence"],
            "calls": report["calls"],
            "engine": "",
        }
        for finding in report["findings"]:
            errors += finding["level"] == "error"
            more = {**properties, "engine": finding["engine"]}
            why = accepted if finding["id"] in ids else None
            yield _of_finding(
                finding, report, name, declared=declared, accepted=why, properties=more
            )
    where = {"level": "error", "related": (), "file": None, "line": None}
    if status == "UNEXPECTED" and report is not None and (not errors or expected not in _PASSES):
        got = f"got {verdict(audit)}: {report['sentence']}"
        said = f"{name}: expected {in_words(expected)}, {got}"
        found = {**where, "id": UNEXPECTED, "message": said}
        yield _of_finding(found, report, name, declared=declared)
    elif status in ("INCOMPLETE", "INTERRUPTED"):
        why = audit["error"] or (report and report["reason"]) or status.lower()
        said = f"{name} could not be completed: {why}"
        found = {**where, "id": INCOMPLETE, "message": said}
        yield _of_finding(found, report or {}, name, declared=declared)


def _declared(audit: Mapping[str, Any]) -> tuple[str, int]:
    """Return the audit file and a line of it; an empty name where no file declares the audit."""
    said = audit.get("declared_at")
    if said is not None:
        return said["file"], max(1, said["line"])
    file, found, _ = audit["name"].partition("::")  # runs of before told no more
    return (file if found else ""), 1


def _of_finding(
    finding: Mapping[str, Any],
    report: Mapping[str, Any],
    audit: str,
    *,
    declared: tuple[str, int] = ("", 1),
    accepted: str | None = None,
    in_source: bool = False,
    properties: Mapping[str, Any] | None = None,
) -> Result:
    file, line, source = _place(finding, report, audit, declared)
    related = tuple(
        (r["file"], max(1, r["line"]), plain(r["what"]))
        for r in finding["related"]
        if is_inside(r["file"])
    )
    return Result(
        rule=plain(finding["id"]),
        level=finding["level"] if finding["level"] in ("warning", "note") else "error",
        message=plain(finding["message"]),
        file=file,
        line=line,
        related=related,
        subject=plain(audit),
        located=is_located(finding, report),
        text=_text(source, line),
        accepted=None if accepted is None else plain(accepted),
        in_source=in_source,
        properties={} if properties is None else properties,
    )


def _place(
    finding: Mapping[str, Any], report: Mapping[str, Any], audit: str, declared: tuple[str, int]
) -> tuple[str, int, Mapping[str, Any]]:
    """Return the cause, else the definition of the mechanism, else the audit file."""
    for source in (finding, report):
        file = source.get("file")
        if is_inside(file):
            return str(file), max(1, source.get("line") or 1), source
    if is_inside(declared[0]):
        return *declared, {}
    name = audit.partition("::")[0]
    known = str(finding.get("file") or report.get("file") or name or "unknown")
    below = known.replace("\\", "/").rpartition("site-packages/")[2].rsplit(":", 1)[-1]
    inside = below if is_inside(below) else below.rsplit("/", 1)[-1]
    return inside or "unknown", max(1, finding.get("line") or 1), finding


def _text(source: Mapping[str, Any], line: int) -> str:
    held = source.get("excerpt")
    if not held or not 0 <= line - held["first"] < len(held["lines"]):
        return ""
    return str(held["lines"][line - held["first"]]).strip()


def results_of_baseline(found: Mapping[str, Any]) -> list[Result]:
    """Return the entries of the baseline file that are to be looked at.

    Parameters
    ----------
    found : mapping
        What a run or the linter found.

    Returns
    -------
    list of Result
    """
    baseline = found.get("baseline") or {"file": "", "troubles": ()}
    file = baseline["file"]
    return [
        Result(
            rule=EXPIRED if trouble["expired"] else UNUSED,
            level="error" if trouble["expired"] else "warning",
            message=plain(trouble["message"]),
            file=_inside(file),
            line=max(1, trouble["line"]),
            subject=plain(file),
        )
        for trouble in baseline["troubles"]
    ]


def _unusable(failure: Mapping[str, Any], line: int) -> Result:
    file = failure["file"]
    return Result(
        rule=UNUSABLE,
        level="error",
        message=plain(f"{file}: {failure['message']}"),
        file=_inside(file),
        line=max(1, line),
        subject=plain(file),
    )


def _inside(file: str) -> str:
    """Return a file as below the root of the repository."""
    return file if is_inside(file) else file.replace("\\", "/").rsplit("/", 1)[-1] or "unknown"
