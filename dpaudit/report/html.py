"""A report as a fragment of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from dpaudit.evidence import Finding, StepWitness, Verdict, Witness
from dpaudit.report import family
from dpaudit.report.caught import HEADS, table_rows
from dpaudit.report.escape import plain
from dpaudit.report.numbers import duration, lower, upper
from dpaudit.report.paths import local, shown
from dpaudit.report.text import headline, sentence
from dpaudit.violations import VIOLATIONS

if TYPE_CHECKING:
    from dpaudit.verdict import Report

_COLORS = {
    Verdict.REFUTED: "#b3261e",
    Verdict.INCONCLUSIVE: "#8a6100",
    Verdict.NOT_REFUTED: "#33527a",
    Verdict.VERIFIED: "#1f6b3a",
}
_LONGEST = 1_000


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
    claim = "no claim" if report.claim is None else str(report.claim)
    badge = (
        f'<span style="background:{_COLORS[report.verdict]};color:#fff;padding:1px 8px;'
        f'border-radius:3px;font-weight:600">{_safe(headline(report))}</span>'
    )
    rows = [
        ("claim", f"<code>{_safe(claim)}</code>"),
        ("neighbors", f"<code>{_safe(report.neighbors)}</code>"),
        *_settings(report),
        *(("finding", _finding(finding)) for finding in report.findings),
        *_witness_rows(report.witness),
        ("epsilon", f"at least {_safe(lower(report.epsilon))}"),
        ("detectable", f"epsilon of {_safe(upper(report.detectable_epsilon))}"),
        *_caught(report),
        (
            "calls",
            f"{report.calls:,} on {report.pairs_tried:,} pairs in "
            f"{_safe(duration(report.seconds))}, seed {report.seed}",
        ),
    ]
    if report.assumptions:
        rows.append(("assumes", "<br>".join(map(_safe, report.assumptions))))
    notes = dict.fromkeys(note for each in report.evidence for note in each.notes)
    if notes:
        rows.append(("notes", "<br>".join(map(_safe, notes))))
    body = "".join(
        f'<tr><th style="text-align:left;vertical-align:top;padding-right:12px">{name}</th>'
        f'<td style="text-align:left">{cell}</td></tr>'
        for name, cell in rows
    )
    return (
        '<div class="dpaudit-report" style="max-width:60em">'
        f"<p>{badge} <code>{_safe(report.mechanism)}</code></p>"
        f"<p>{_safe(sentence(report))}</p><table>{body}</table></div>"
    )


def _caught(report: Report) -> list[tuple[str, str]]:
    """Return the table of what would have been caught as a row, none where it is empty."""
    if not report.detectable:
        return []
    lines = [HEADS, *table_rows(report.detectable)]
    return [("caught with probability 0.9", _table(lines))]


def _settings(report: Report) -> list[tuple[str, str]]:
    """Return the settings of a family as a row, none where there is no family."""
    if not report.rows:
        return []
    lines = [family.HEADS, *(family.row_cells(family.row_to_dict(row)) for row in report.rows)]
    return [("settings", _table(lines))]


def _table(lines: Sequence[Sequence[str]]) -> str:
    rows = (
        "<tr>" + "".join(f'<td style="padding-right:12px">{_safe(c)}</td>' for c in line) + "</tr>"
        for line in lines
    )
    return f"<table>{''.join(rows)}</table>"


def _finding(finding: Finding) -> str:
    name = VIOLATIONS[finding.id].name if finding.id in VIOLATIONS else ""
    line = "" if finding.line is None else f":{finding.line}"
    where = "" if finding.file is None else f" <code>{_safe(shown(finding.file))}{line}</code>"
    return (
        f"<b>{_safe(finding.id)}</b> {_safe(name)} ({_safe(finding.level)}): "
        f"{_safe(finding.message)}{where}"
    )


def _witness_rows(witness: Witness | StepWitness | None) -> list[tuple[str, str]]:
    if witness is None:
        return []
    if isinstance(witness, StepWitness):
        return [("false", _safe(witness.how))]
    from dpaudit.neighbors import dataset_to_text

    rows = [
        ("left", f"<code>{_safe(dataset_to_text(witness.left))}</code>"),
        ("right", f"<code>{_safe(dataset_to_text(witness.right))}</code>"),
        ("event", _safe(witness.event)),
    ]
    if witness.counts is not None:
        rows.append(("seen", f"{_safe(witness.counts)} calls"))
    return rows


def _safe(text: object) -> str:
    return escape(plain(local(str(text)), _LONGEST))
