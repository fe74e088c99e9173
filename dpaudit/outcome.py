"""What became of audits beside what was expected of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.collect import CollectedAudit, CollectionFailure, CollectionSkip
from dpaudit.evidence import Verdict
from dpaudit.report.audited import REPLAYED, SUMMARY, replay, why
from dpaudit.report.escape import plain
from dpaudit.report.json import bare_report, jsonable
from dpaudit.report.paths import shown
from dpaudit.report.provenance import of_run
from dpaudit.report.table import Found, Row
from dpaudit.report.text import summary
from dpaudit.spared import spared
from dpaudit.untrusted import leads_away
from dpaudit.verdict import worst

if TYPE_CHECKING:
    from dpaudit.baseline.file import Acceptance
    from dpaudit.verdict import Report

SCHEMA_VERSION = 1
INTERRUPTED = 130
CACHED = "cached"  # the entry of a recalled result that says when it was made


class Status(Enum):
    """What an audit's report means beside its expectation."""

    OK = "ok"
    ACCEPTED = "ACCEPTED"
    UNEXPECTED = "UNEXPECTED"
    INCOMPLETE = "INCOMPLETE"
    INTERRUPTED = "INTERRUPTED"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of one audit.

    Attributes
    ----------
    collected : CollectedAudit
    report : Report or None
        None where it could not be completed.
    error : str
        Why there is no report, in a line.
    interrupted : bool
        Whether the user stopped it.
    recalled : mapping, optional
        What an earlier process found, as `to_keep` gave it; there is no report then.
    options : mapping
        Those of the command that ran it.
    accepted : Acceptance, optional
        Why the baseline accepts an unexpected refutation.
    unfinished : tuple of int, optional
        The last complete tier of calls, and how many there are, where the time that all audits of
        the run share has ended it.
    not_made : tuple of str
        What could not be made after the verdict, in sentences.
    """

    collected: CollectedAudit
    report: Report | None = None
    error: str = ""
    interrupted: bool = False
    recalled: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    accepted: Acceptance | None = None
    not_made: tuple[str, ...] = ()
    unfinished: tuple[int, int] | None = None

    @property
    def status(self) -> Status:
        """OK when the report is as expected; a refutation counts even from an unfinished run.

        Where the time of a run has ended it, later tiers may still refute, so that a refutation
        which is expected and not there is no failure yet. Nothing is met before the first tier is
        complete.
        """
        if self.recalled is not None:
            return Status[self.recalled["status"]]
        if self.interrupted:
            return Status.INTERRUPTED
        if self.report is None:
            return Status.INCOMPLETE
        begun = self.unfinished is None or self.unfinished[0] > 0
        if begun and self.collected.audit.met_by(self.report):
            return Status.OK
        ended = self.report.completed and self._is_final
        if ended or self._refuted_against_expectation(self.report):
            return Status.UNEXPECTED if self.accepted is None else Status.ACCEPTED
        return Status.INCOMPLETE

    @property
    def _is_final(self) -> bool:
        """Whether more calls could not make the verdict the one that is expected."""
        if self.unfinished is None:
            return True
        return self.unfinished[0] > 0 and self.collected.audit.expect == Verdict.VERIFIED.name

    @property
    def reason(self) -> str:
        """Why the audit was not completed, in a line."""
        if self.report is None:
            return self.error
        if self.unfinished is None:
            return self.report.reason
        tier, tiers = self.unfinished
        where = f"after tier {tier} of {tiers}" if tier else "within its first tier of calls"
        said = f"the time of --total ended it {where}"
        return f"{said}; {self.report.reason}" if self.report.reason else said

    @property
    def verdict(self) -> Verdict | None:
        """None where there is no report."""
        if self.recalled is not None:
            return Verdict[self.recalled["report"]["verdict"]]
        return None if self.report is None else self.report.verdict

    @property
    def tiers(self) -> tuple[int, int] | None:
        """`unfinished`, also of what an earlier process found."""
        told = self.recalled and self.recalled.get("unfinished")
        return (int(told["tier"]), int(told["tiers"])) if told else self.unfinished

    @property
    def refuting_ids(self) -> tuple[str, ...]:
        """The kinds of violation of a refutation, each once; none of another verdict."""
        found = _found(self)
        return () if found is None or self.verdict is not Verdict.REFUTED else found.ids

    @property
    def calls(self) -> int:
        """Calls of the mechanism."""
        if self.recalled is not None:
            return int(self.recalled["report"]["calls"])
        return 0 if self.report is None else self.report.calls

    @property
    def said(self) -> str:
        """What people are told of an audit that went otherwise than expected, in lines."""
        return self.told()

    def told(self, saved: str | None = None) -> str:
        """Return what people are told of an audit, in lines.

        Parameters
        ----------
        saved : str, optional
            The file in which its certificate is saved.
        """
        if self.report is not None:
            command = replay(self.to_dict())
            option = "--scripts FOLDER" if "::" in self.collected.name else "--script FILE"
            return summary(self.report, script=f"{command} {option}", saved=saved)
        told = (self.recalled or {}).get(SUMMARY)
        lines = why(self.to_dict()) if told is None else str(told).splitlines()
        return "\n".join(map(plain, lines))

    def to_keep(self) -> dict[str, Any]:
        """Return it as the store keeps it, so that it can be recalled."""
        kept = self.to_dict()
        return {**kept, SUMMARY: self.said} if self.status is Status.UNEXPECTED else kept

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        if self.recalled is not None:
            return {key: value for key, value in self.recalled.items() if key != SUMMARY}
        declared, report = self.collected.audit, self.report
        made: dict[str, Any] = {
            "name": self.collected.name,
            "expect": declared.expect,
            "expected_because": declared.reason,
            "status": self.status.name,
            "error": self.error or None,
        }
        if self.unfinished is not None:
            tier, tiers = self.unfinished
            made["unfinished"] = {"tier": tier, "tiers": tiers}
        accepted = self.accepted
        options = {name: self.options[name] for name in REPLAYED if name in self.options}
        parts: dict[str, tuple[Callable[[], Any], Any]] = {
            "mechanism": (lambda: declared.mechanism_name, ""),
            "claim": (lambda: declared.claim_text, None),
            "neighbors": (lambda: declared.neighbors_text, None),
            "declared_at": (lambda: _declared_at(self.collected), None),
            "options": (lambda: {name: jsonable(value) for name, value in options.items()}, {}),
            "accepted": (lambda: None if accepted is None else accepted.to_dict(), None),
            "report": (
                lambda: None if report is None else report.to_dict(),
                None if report is None else bare_report(report),
            ),
        }
        failures = list(self.not_made)
        for name, (make, otherwise) in parts.items():
            made[name] = spared(f"`{name}` of the result", make, failures, otherwise)
        return {**made, "not_made": failures}

    def _refuted_against_expectation(self, report: Report) -> bool:
        expected = self.collected.audit.expect
        return report.verdict is Verdict.REFUTED and expected in (
            Verdict.INCONCLUSIVE.name,
            Verdict.NOT_REFUTED.name,
            Verdict.VERIFIED.name,
        )


def _declared_at(collected: CollectedAudit) -> dict[str, Any] | None:
    """Return the audit file, from the root of the repository, and the line; None without one."""
    file, found, _ = collected.name.partition("::")
    return {"file": shown(file), "line": collected.line or 1} if found else None


def exit_code(outcomes: Sequence[Outcome], failures: int = 0, expired: int = 0) -> int:
    """Return the exit code of a run.

    Parameters
    ----------
    outcomes : sequence of Outcome
    failures : int
        Audit files that could not be used.
    expired : int
        Entries of the baseline whose day has passed.

    Returns
    -------
    int
        130 interrupted, else 1 an unexpected verdict or an entry that expired, else 3 an audit or
        a file that could not be completed, else 0.
    """
    statuses = {outcome.status for outcome in outcomes}
    if Status.INTERRUPTED in statuses:
        return INTERRUPTED
    if expired or Status.UNEXPECTED in statuses:
        return 1
    return 3 if failures or Status.INCOMPLETE in statuses else 0


def row(outcome: Outcome) -> Row:
    """Return an outcome as a row of the verdict table.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    Row
    """
    declared = outcome.collected.audit
    cached = outcome.recalled is not None and CACHED in outcome.recalled
    tiers = "" if outcome.tiers is None else " (tier {} of {})".format(*outcome.tiers)
    return Row(
        audit=outcome.collected.name,
        claim=declared.claim_text or "-",
        expected=declared.expect,
        status=outcome.status.value + (" (cached)" if cached else tiers),
        found=_found(outcome),
    )


def _found(outcome: Outcome) -> Found | None:
    if outcome.recalled is not None:
        return Found.recalled(outcome.recalled)
    return None if outcome.report is None else Found.of(outcome.report)


def counted(outcomes: Sequence[Outcome], failures: int) -> str:
    """Say in a line how many audits ended how.

    Parameters
    ----------
    outcomes : sequence of Outcome
    failures : int

    Returns
    -------
    str
    """
    numbers = Counter(outcome.status for outcome in outcomes)
    said = [f"{numbers[Status.OK]} as expected"]
    said += [
        f"{numbers[status]} {words}"
        for status, words in (
            (Status.ACCEPTED, "accepted"),
            (Status.UNEXPECTED, "UNEXPECTED"),
            (Status.INCOMPLETE, "could not be completed"),
            (Status.INTERRUPTED, "interrupted"),
        )
        if numbers[status]
    ]
    files = f"; {_count(failures, 'file')} could not be used" if failures else ""
    cut = sum(outcome.tiers is not None for outcome in outcomes)
    files += f"; {cut:,} stopped by --total before the last tier" if cut else ""
    calls = sum(outcome.calls for outcome in outcomes)
    return f"{_count(len(outcomes), 'audit')}: {', '.join(said)}{files}; {calls:,} calls"


def run_to_dict(
    outcomes: Sequence[Outcome],
    failures: Sequence[CollectionFailure],
    code: int,
    skipped: Sequence[CollectionSkip] = (),
    *,
    paths: Sequence[str] | None = None,
    selection: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a run as JSON-able values.

    Parameters
    ----------
    outcomes : sequence of Outcome
    failures : sequence of CollectionFailure
    code : int
        Exit code of the run.
    skipped : sequence of CollectionSkip, optional
    paths, selection : sequence of str, optional
        Where audits were looked for, and by which patterns they were chosen; None for an audit
        that no file declares.
    options : mapping, optional
        What the command was given.

    Returns
    -------
    dict
    """
    import dpaudit

    verdicts = [outcome.verdict or Verdict.INCONCLUSIVE for outcome in outcomes]
    audits = [outcome.to_dict() for outcome in outcomes]
    missing = [
        f"{audit['name']}: {said}"
        for audit in audits
        for said in (*audit.get("not_made", ()), *(audit["report"] or {}).get("not_made", ()))
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "dpaudit": dpaudit.__version__,
        "exit_code": code,
        "provenance": spared("`provenance` of the run", lambda: of_run(options), missing, None),
        "asked": None
        if paths is None
        else {"paths": [shown(path) for path in paths], "selection": list(selection)},
        "verdict": worst(verdicts).name,
        "audits": audits,
        "not_made": missing,
        "failures": [{"file": shown(f.file), "message": f.message} for f in failures],
        "skipped": [{"file": shown(s.file), "missing": list(s.missing)} for s in skipped],
    }


def save_certificates(outcomes: Sequence[Outcome], folder: Path, failures: list[str]) -> int:
    """Write the certificate of every proof, each into a file named after its audit.

    Parameters
    ----------
    outcomes : sequence of Outcome
    folder : Path
        A folder that exists.
    failures : list of str
        Gets a sentence for each that cannot be written.

    Returns
    -------
    int
        How many were written.
    """
    return _saved(
        _files(outcomes, "certificate", folder, ".json"),
        lambda certificate, file: certificate.save(file),
        failures,
    )


def save_scripts(outcomes: Sequence[Outcome], folder: Path, failures: list[str]) -> int:
    """Write the witness of every refutation as a script, each named after its audit.

    Parameters
    ----------
    outcomes : sequence of Outcome
    folder : Path
        A folder that exists.
    failures : list of str
        Gets a sentence for each that cannot be written.

    Returns
    -------
    int
        How many were written.
    """
    return _saved(
        _files(outcomes, "witness", folder, ".py"),
        lambda witness, file: file.write_text(witness.script(), encoding="utf-8"),
        failures,
    )


def _saved(
    files: Sequence[tuple[Any, Path]], save: Callable[[Any, Path], object], failures: list[str]
) -> int:
    """Write what can be written, and return how many were."""

    def saved(value: Any, file: Path) -> bool:
        _unlink_link(file)
        save(value, file)
        return True

    return sum(
        spared(file.name, partial(saved, value, file), failures, False) for value, file in files
    )


def _unlink_link(file: Path) -> None:
    """Make room where a link would lead a file out of its folder."""
    if leads_away(file):
        file.unlink()


def _files(
    outcomes: Sequence[Outcome], part: str, folder: Path, suffix: str
) -> list[tuple[Any, Path]]:
    """Return that part of each report that has one, and a file named after its audit for it."""
    found: list[tuple[Any, Path]] = []
    taken: set[str] = set()
    for outcome in outcomes:
        value = getattr(outcome.report, part, None)
        if value is not None:
            name = stem = re.sub(r"[^\w.-]+", "_", outcome.collected.name)
            while name.casefold() in taken:
                name = f"{stem}_{len(taken)}"
            taken.add(name.casefold())
            found.append((value, folder / f"{name}{suffix}"))
    return found


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
