"""A report as a fragment of HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.evidence import Finding, StepWitness, Verdict, Witness
from dpaudit.report import family
from dpaudit.report.caught import HEADS, at_delta, epsilon_of, table_rows
from dpaudit.report.numbers import duration, lower, upper
from dpaudit.report.page.rendering import rendered
from dpaudit.report.paths import local, shown
from dpaudit.report.text import headline, sentence, sizes_of_runs
from dpaudit.violations import VIOLATIONS

if TYPE_CHECKING:
    from dpaudit.verdict import Report

_COLORS = {
    Verdict.REFUTED: "#b3261e",
    Verdict.INCONCLUSIVE: "#8a6100",
    Verdict.NOT_REFUTED: "#33527a",
    Verdict.VERIFIED: "#1f6b3a",
}


def report_fragment(report: Report) -> str:
    """Return a report as HTML that needs nothing else.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        One ``div``; every text from the mechanism is escaped.
    """
    drawn = report.verdict is not Verdict.VERIFIED  # what draws would detect limits no proof
    settings = [family.row_cells(family.row_to_dict(row)) for row in report.rows]
    fragment = rendered(
        "fragment.html",
        report=report,
        color=_COLORS[report.verdict],
        headline=headline(report),
        sentence=sentence(report),
        sizes=sizes_of_runs(report.neighbors, report.verdict.name),
        claim="no claim" if report.claim is None else report.claim,
        settings=[family.HEADS, *settings] if settings else (),
        findings=[(*_named(finding), finding) for finding in report.findings],
        witness=None if report.witness is None else _witness(report.witness),
        caught=[HEADS, *table_rows(report.detectable)] if drawn and report.detectable else (),
        bound=(epsilon_of(report.claim), at_delta(report.claim)),
        epsilon=lower(report.epsilon),
        detectable=upper(report.detectable_epsilon) if drawn else "",
        calls=f"{report.calls:,} on {report.pairs_tried:,} pairs in {duration(report.seconds)}",
        notes=dict.fromkeys(note for each in report.evidence for note in each.notes),
    )
    return local(fragment)


def _named(finding: Finding) -> tuple[str, str | None]:
    """Return the name of a kind of violation, and where a finding is."""
    name = VIOLATIONS[finding.id].name if finding.id in VIOLATIONS else ""
    line = "" if finding.line is None else f":{finding.line}"
    return name, None if finding.file is None else f"{shown(finding.file)}{line}"


def _witness(witness: Witness | StepWitness) -> list[tuple[str, object, bool]]:
    """Return rows of a witness, each with whether it is code."""
    if isinstance(witness, StepWitness):
        return [("false", witness.how, False)]
    from dpaudit.neighbors import dataset_to_text

    counts = [] if witness.counts is None else [("seen", f"{witness.counts} calls", False)]
    return [
        ("left", dataset_to_text(witness.left), True),
        ("right", dataset_to_text(witness.right), True),
        ("event", witness.event, False),
        *counts,
    ]
