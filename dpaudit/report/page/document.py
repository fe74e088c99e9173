"""Whole pages: a run with its verdict table and every audit, what the linter found, a dossier."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from dpaudit.report.audited import (
    baseline_lines,
    bound,
    caught,
    counted,
    found_ids,
    in_words,
    kind,
    number,
    status,
    verdict,
)
from dpaudit.report.environment import line_of
from dpaudit.report.page.rendering import rendered, source
from dpaudit.report.page.section import Line, section
from dpaudit.report.results import Result, results_of_lint

_COLUMNS = (
    ("audit", ""),
    ("claim", "extra"),
    ("expected", "extra"),
    ("verdict", ""),
    ("found", "more"),
    ("ε at least", "number more"),
    ("would catch ε", "number extra"),
    ("calls", "number extra"),
    ("seconds", "number extra"),
    ("outcome", ""),
)
_STATUSES = ("UNEXPECTED", "INCOMPLETE", "INTERRUPTED", "ACCEPTED", "ok")
_VERDICTS = ("REFUTED", "INCONCLUSIVE", "NOT REFUTED", "VERIFIED", "-")


def run_html(run: Mapping[str, Any]) -> str:
    """Return a run as one HTML file that loads nothing.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    str
        Its content security policy allows its own style and script alone, by their hashes.
    """
    audits = sorted(run["audits"], key=lambda audit: _place(_STATUSES, status(audit)))
    anchors = [f"audit-{index}" for index in range(1, len(audits) + 1)]
    outcomes, verdicts = Counter(map(status, audits)), Counter(map(verdict, audits))
    kinds = Counter(id for audit in audits for id in found_ids(audit))
    return page(
        "run.html",
        "Privacy audits",
        version=run["dpaudit"],
        exit_code=run["exit_code"],
        failures=[(failure["file"], failure["message"]) for failure in run.get("failures", ())],
        counted=counted(run),
        environment=line_of(run),
        baseline=baseline_lines(run),
        chips=[
            ("Outcome", "outcome", _in_order(outcomes, _STATUSES)),
            ("Verdict", "verdict", _in_order(verdicts, _VERDICTS)),
        ],
        kinds=[(id, kind(id), kinds[id]) for id in sorted(kinds)],
        columns=_COLUMNS,
        rows=[_row(audit, anchor) for audit, anchor in zip(audits, anchors, strict=True)],
        sections=[section(audit, anchor) for audit, anchor in zip(audits, anchors, strict=True)],
    )


def lint_html(linted: Mapping[str, Any]) -> str:
    """Return what the linter found as one HTML file that loads nothing.

    Parameters
    ----------
    linted : mapping
        As ``dpaudit lint --format json`` prints it.

    Returns
    -------
    str
    """
    results = results_of_lint(linted)
    kept = sum(result.accepted is None for result in results)
    said = (
        f"{kept:,} to look at and {len(results) - kept:,} set aside, in {linted['functions']:,} "
        f"functions of {linted['files']:,} files"
    )
    ordered = sorted(results, key=lambda r: (r.accepted is not None, r.level != "error"))
    return page(
        "lint.html",
        "What the source shows",
        said=said,
        baseline=baseline_lines(linted),
        results=[(each, _lines(each), _places(each)) for each in ordered],
    )


def page(template: str, title: str, **values: Any) -> str:
    """Return a whole document that loads nothing.

    Parameters
    ----------
    template : str
        A file of ``templates/`` that extends ``base.html``.
    title : str
    **values : Any
        What the template shows.

    Returns
    -------
    str
    """
    style, script = source("style.css"), source("filters.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    ours = {"style": Markup(style), "script": Markup(script)}
    return rendered(template, title=title, policy=policy, **ours, **values)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _lines(result: Result) -> list[Line]:
    return [Line(result.line, result.text, "cause", None)] if result.text else []


def _places(result: Result) -> list[tuple[str, str]]:
    return [(f"{file}:{line}", what) for file, line, what in result.related]


def _row(audit: Mapping[str, Any], anchor: str) -> dict[str, Any]:
    """Return a row of the table: its cells under `_COLUMNS`, and by what they are sorted."""
    report = audit.get("report")
    seconds = None if report is None else number(report["seconds"])
    file, _, variable = audit["name"].partition("::")
    return {
        "anchor": anchor,
        "outcome": status(audit),
        "verdict": verdict(audit),
        "found": found_ids(audit),
        "name": variable or file,
        "file": file if variable else None,
        "mechanism": audit["mechanism"],
        "claim": audit["claim"] or "–",
        "expected": in_words(audit["expect"]),
        "verdict_key": _place(_VERDICTS, verdict(audit)),
        "outcome_key": _place(_STATUSES, status(audit)),
        "numbers": [
            (_or_dash(bound(report)), report and report["epsilon"]),
            (_or_dash(caught(report)), report and report["detectable_epsilon"]),
            (f"{report['calls']:,}" if report else "–", report and report["calls"]),
            ("–" if seconds is None else f"{seconds:.1f}", seconds),
        ],
    }


def _in_order(counts: Mapping[str, int], order: Sequence[str]) -> list[tuple[str, int]]:
    return [(each, counts[each]) for each in order if each in counts]


def _or_dash(said: str) -> str:
    return "–" if said == "-" else said


def _place(order: Sequence[str], value: str) -> int:
    return order.index(value) if value in order else len(order)
