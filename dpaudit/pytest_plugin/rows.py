"""What is said of an audit: its failure, its row of the table, its properties."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import pytest

if TYPE_CHECKING:
    from dpaudit.evidence import Finding
    from dpaudit.outcome import Outcome
    from dpaudit.verdict import Report


class Shown(TypedDict):
    """An audit in plain values, which pytest-xdist can send.

    Attributes
    ----------
    cells : list of str
        Its row of the table.
    status : str
    file, line : str, int
        Where the cause is, else the mechanism, else the audit; the file relative to the root.
    title, message : str
        What is wrong, where something is.
    """

    cells: list[str]
    status: str
    file: str
    line: int
    title: str
    message: str


ROWS = pytest.StashKey[list[Shown]]()
NO_EXPECTATION = "-"


def text(outcome: Outcome, replay: str) -> str:
    """Say at length what is wrong, and how to see it again.

    Parameters
    ----------
    outcome : Outcome
    replay : str
        A command.

    Returns
    -------
    str
    """
    from dpaudit.report.escape import plain
    from dpaudit.report.text import summary

    report = outcome.report
    script = f"{replay} --scripts FOLDER" if replay.startswith("dpaudit run ") else None
    said = "" if report is None else summary(report, script=script)
    parts = [headline(outcome), said, *map(plain, outcome.not_made), f"Replay\n  {replay}"]
    return "\n\n".join(filter(None, parts))


def headline(outcome: Outcome) -> str:
    """Say in a line what is wrong.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
    """
    from dpaudit.outcome import Status
    from dpaudit.report.audited import in_words
    from dpaudit.report.escape import plain
    from dpaudit.report.text import headline as verdict_in_words
    from dpaudit.report.text import sentence

    report = outcome.report
    if report is None or outcome.status is Status.INCOMPLETE:
        return plain(f"could not be completed: {outcome.reason}")
    expected = in_words(outcome.collected.audit.expect)
    finding = _error(report)
    if finding is None:
        return plain(f"{verdict_in_words(report)}, expected {expected}: {sentence(report)}")
    place = "" if finding.file is None else f" at {shown_path(finding.file)}:{finding.line or 1}"
    said = f"{_title(finding)}{place}: {finding.message}"
    return plain(f"{report.verdict}, expected {expected}: {said}")


def cause(outcome: Outcome) -> tuple[str | None, int | None]:
    """Return file and line of the cause, else of the mechanism, where either is known.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    tuple of (str or None, int or None)
    """
    report = outcome.report
    if report is None:
        return None, None
    finding = _error(report)
    if finding is not None and finding.file is not None:
        return finding.file, finding.line
    return report.file, report.line


def add_row(item: pytest.Item, outcome: Outcome, *, expected: bool = True) -> None:
    """Note an outcome for the table, and as properties for JUnit.

    Parameters
    ----------
    item : pytest.Item
    outcome : Outcome
    expected : bool
        Whether a verdict was expected.
    """
    from dpaudit.outcome import Status, row
    from dpaudit.report.junit import properties

    rows = item.stash.setdefault(ROWS, [])
    cells = list(row(outcome).cells())
    wrong = expected and outcome.status not in (Status.OK, Status.ACCEPTED)
    if not expected:
        cells[2] = cells[-1] = NO_EXPECTATION
    file, line = cause(outcome)
    error = None if outcome.report is None else _error(outcome.report)
    rows.append(
        Shown(
            cells=cells,
            status=outcome.status.name if expected else NO_EXPECTATION,
            file=_below(item.config.rootpath, file or str(item.path)),
            line=line or outcome.collected.line or 1,
            title=_title(error) if error is not None else "dpaudit",
            message=headline(outcome) if wrong else "",
        )
    )
    told = outcome.to_dict()
    if not expected:
        told["expect"] = None
    item.user_properties += properties(told, len(rows)).items()


def _error(report: Report) -> Finding | None:
    return next((f for f in report.findings if f.level == "error"), None)


def _title(finding: Finding) -> str:
    from dpaudit.report.escape import plain
    from dpaudit.violations import VIOLATIONS

    return plain(VIOLATIONS.get(finding.id, finding.id))


def shown_path(file: str) -> str:
    """Return a path as seen from the working directory, where it lies below."""
    return _below(Path.cwd(), file)


def _below(folder: Path, file: str) -> str:
    path = Path(os.path.abspath(file))
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
