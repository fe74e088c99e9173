"""The whole page: what a run came to, its verdict table with filters, and every audit."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
from dpaudit.report.page.finding_list import finding_list
from dpaudit.report.page.markup import Markup, joined, tag
from dpaudit.report.page.section import badge, section
from dpaudit.report.results import results_of_lint

_HERE = Path(__file__).parent
_COLUMNS = (
    ("audit", "audit", ""),
    ("claim", "claim", "extra"),
    ("expected", "expected", "extra"),
    ("verdict", "verdict", ""),
    ("found", "found", "more"),
    ("epsilon", "ε at least", "number more"),
    ("caught", "would catch ε", "number extra"),
    ("calls", "calls", "number extra"),
    ("seconds", "seconds", "number extra"),
    ("outcome", "outcome", ""),
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
    names = [f"audit-{index}" for index in range(1, len(audits) + 1)]
    failures = [
        tag("li", tag("code", f["file"]), " could not be used: ", f["message"])
        for f in run.get("failures", ())
    ]
    failures += [tag("li", line) for line in baseline_lines(run)]
    main = joined(
        tag("header",
            tag("h1", "Privacy audits"),
            tag("p", counted(run), class_="lead"),
            tag("p", f"dpaudit {run['dpaudit']}, exit code {run['exit_code']}. NOT REFUTED is not "
                     "a proof: each audit says which violation it would have caught.",
                class_="small"),
            tag("p", line_of(run), class_="small"),
            tag("ul", failures, class_="failures") if failures else None),
        _filters(audits),
        tag("main", _overview(audits, names),
            [section(audit, name) for audit, name in zip(audits, names, strict=True)]),
    )  # fmt: skip
    return page("Privacy audits", main)


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
    main = joined(
        tag(
            "header",
            tag("h1", "What the source shows"),
            tag("p", said, class_="lead"),
            [tag("p", line) for line in baseline_lines(linted)],
        ),
        tag("main", finding_list(results)),
    )
    return page("What the source shows", main)


def page(title: str, body: Markup) -> str:
    """Return a whole document that loads nothing.

    Parameters
    ----------
    title : str
    body : Markup

    Returns
    -------
    str
    """
    style, script = (
        (_HERE / name).read_text(encoding="utf-8") for name in ("style.css", "filters.js")
    )
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · dpaudit"),
        Markup(f"<style>{style}</style>"),
    )
    whole = tag("html", head, tag("body", body, Markup(f"<script>{script}</script>")), lang="en")
    return f"<!DOCTYPE html>\n{whole.html}\n"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _filters(audits: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the row of filters; the script shows it, since it does nothing without."""
    outcomes = Counter(map(status, audits))
    verdicts = Counter(map(verdict, audits))
    kinds = Counter(id for audit in audits for id in found_ids(audit))
    return tag(
        "form",
        tag("label", tag("span", "Find"), " ",
            tag("input", type="search", id="search", placeholder="audit, mechanism, claim",
                autocomplete="off")),
        _chips("Outcome", "outcome", [(s, s, outcomes[s]) for s in _STATUSES if outcomes[s]]),
        _chips("Verdict", "verdict", [(v, v, verdicts[v]) for v in _VERDICTS if verdicts[v]]),
        tag("label", tag("span", "Kind"), " ",
            tag("select", tag("option", "any", value=""),
                [tag("option", f"{kind(id)} ({kinds[id]})", value=id) for id in sorted(kinds)],
                id="kind")) if kinds else None,
        tag("button", "Clear", type="reset"),
        tag("output", f"{len(audits)} of {len(audits)} shown", id="shown", for_="search kind"),
        id="filters",
        hidden=True,
        aria_label="Filters",
        role="search",
    )  # fmt: skip


def _chips(title: str, group: str, chips: Sequence[tuple[str, str, int]]) -> Markup:
    return tag(
        "fieldset",
        tag("legend", title),
        [
            tag("button", f"{said} ", tag("b", count), type="button", class_="chip",
                aria_pressed="false", data_group=group, data_value=value)
            for value, said, count in chips
        ],
    )  # fmt: skip


def _overview(audits: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Markup:
    heads = [
        tag("th", tag("button", title, type="button", data_sort=place), scope="col",
            class_=kind_of or None)
        for place, (_, title, kind_of) in enumerate(_COLUMNS)
    ]  # fmt: skip
    rows = [_row(audit, name) for audit, name in zip(audits, names, strict=True)]
    return tag(
        "section",
        tag("h2", "Verdicts"),
        tag("div", tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), id="overview"),
            class_="wide", tabindex="0", role="region", aria_label="table of verdicts"),
        tag("p", "No audit matches these filters.", id="nothing", hidden=True),
        id="audits",
        tabindex="-1",
    )  # fmt: skip


def _row(audit: Mapping[str, Any], name: str) -> Markup:
    report = audit.get("report")
    seconds = None if report is None else number(report["seconds"])
    cells: list[tuple[object, object]] = [
        (_named(audit, name), None),
        (tag("code", audit["claim"] or "–"), None),
        (in_words(audit["expect"]), None),
        (badge(verdict(audit)), _place(_VERDICTS, verdict(audit))),
        (", ".join(found_ids(audit)) or "–", None),
        (_or_dash(bound(report)), None if report is None else report["epsilon"]),
        (_or_dash(caught(report)), None if report is None else report["detectable_epsilon"]),
        ("–" if report is None else f"{report['calls']:,}", report and report["calls"]),
        ("–" if seconds is None else f"{seconds:.1f}", seconds),
        (badge(status(audit)), _place(_STATUSES, status(audit))),
    ]  # fmt: skip
    return tag(
        "tr",
        [
            tag("td", cell, class_=column[2] or None, data_key=key)
            for (cell, key), column in zip(cells, _COLUMNS, strict=True)
        ],
        data_for=name,
        data_outcome=status(audit),
        data_verdict=verdict(audit),
        data_kinds=" ".join(found_ids(audit)),
    )


def _named(audit: Mapping[str, Any], name: str) -> Markup:
    """Return a link to an audit, by the variable that holds it, with its file and mechanism."""
    file, _, variable = audit["name"].partition("::")
    link = tag("a", variable or file, href=f"#{name}")
    lines = [tag("span", said, class_="mechanism") for said in (file, audit["mechanism"])]
    return joined(link, lines[0] if variable else None, lines[1])


def _or_dash(said: str) -> str:
    return "–" if said == "-" else said


def _place(order: Sequence[str], value: str) -> int:
    return order.index(value) if value in order else len(order)
