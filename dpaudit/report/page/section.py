"""What the page says of one audit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from dpaudit.evidence import Detectable
from dpaudit.report.audited import (
    accepted_because,
    in_words,
    kind,
    number,
    place,
    replay,
    status,
    verdict,
)
from dpaudit.report.caught import HEADS, caught_where, table_rows
from dpaudit.report.escape import plain
from dpaudit.report.family import HEADS as SETTING_HEADS
from dpaudit.report.family import NUMERIC, row_cells
from dpaudit.report.numbers import duration, e_value, upper
from dpaudit.report.page.figures import caught, figures, rates
from dpaudit.report.page.markup import Markup, joined, tag
from dpaudit.report.paths import local
from dpaudit.report.results import is_located

_FEW = 6  # rows of a table that need no folding
_LONGEST_CERTIFICATE = 20_000
_LONGEST_DATASET = 1_000
_PART = re.compile(r"[\w.+-]+|\s+|[^\w\s]", re.ASCII)


def section(audit: Mapping[str, Any], name: str) -> Markup:
    """Return an audit's part of the page.

    Parameters
    ----------
    audit : mapping
        As JSON holds it.
    name : str
        Of the part, for links.

    Returns
    -------
    Markup
    """
    report = audit.get("report")
    body = _unfinished(audit) if report is None else _body(audit, report)
    return tag(
        "article",
        tag("h2", badge(verdict(audit)), " ", tag("span", audit["name"], class_="name"),
            tag("a", "#", href=f"#{name}", class_="anchor", aria_label="link to this audit")),
        body,
        tag("p", tag("a", "back to the table", href="#audits"), class_="back"),
        id=name,
        tabindex="-1",
    )  # fmt: skip


def badge(said: str) -> Markup:
    """Return a verdict or a status as a colored label; the words alone say it too."""
    return tag("span", said, class_=f"badge {said.lower().replace(',', '').replace(' ', '-')}")


def _unfinished(audit: Mapping[str, Any]) -> Markup:
    why = audit["error"] or "it was interrupted"
    return joined(tag("p", f"This audit could not be completed: {why}.", class_="lead"),
                  _facts(audit, None))  # fmt: skip


def _body(audit: Mapping[str, Any], report: Mapping[str, Any]) -> Markup:
    return joined(
        tag("p", report["sentence"], class_="lead"),
        _facts(audit, report),
        _sentences("Next", report.get("next") or []),
        _settings(report.get("settings") or []),
        [_finding(finding, report) for finding in report["findings"]],
        _witness(report["witness"]),
        _pictures(report),
        _coverage(report),
        _ledger(report),
        _certificate(report["certificate"], report),
        _repair(report.get("repair")),
        _sentences("Assumptions", report["assumptions"]),
        _sentences("Notes", list(dict.fromkeys(n for e in report["evidence"] for n in e["notes"]))),
    )


def _facts(audit: Mapping[str, Any], report: Mapping[str, Any] | None) -> Markup:
    because = f": {audit['expected_because']}" if audit["expected_because"] else ""
    rows: list[tuple[str, object]] = [
        ("Mechanism", tag("code", audit["mechanism"])),
        ("Claim", tag("code", audit["claim"] or "none")),
        ("Neighbors", tag("code", audit["neighbors"] or "none")),
        ("Expected", f"{in_words(audit['expect'])}{because}"),
        ("Outcome", joined(badge(status(audit)), f" {accepted_because(audit)}")),
    ]
    if report is not None:
        if place(report):
            rows.insert(1, ("Defined at", tag("code", place(report))))
        calls, pairs = report["calls"], report["pairs_tried"]
        seconds = duration(number(report["seconds"]))
        plural = "" if pairs == 1 else "s"
        said = f"{calls:,} calls on {pairs:,} pair{plural} in {seconds}, seed {report['seed']}"
        rows.append(("Effort", said))
    rows.append(("Again", tag("code", replay(audit))))
    return tag("dl", [tag("div", tag("dt", key), tag("dd", said)) for key, said in rows])


def _finding(finding: Mapping[str, Any], report: Mapping[str, Any]) -> Markup:
    where = place(finding)
    said: list[object] = [tag("code", where)] if where else []
    said += [f"also {', '.join(finding['also'])}"] if finding["also"] else []
    said.append(f"found by the {finding['engine']} engine")
    near, far = _related(finding)
    return tag(
        "section",
        tag("h3", tag("span", finding["level"], class_=f"badge {_level(finding)}"), " ",
            kind(finding["id"])),
        tag("p", finding["message"]),
        tag("p", [part for each in said for part in (" · ", each)][1:], class_="small"),
        _source(finding, near, "cause" if is_located(finding, report) else "the mechanism"),
        tag("ul", [tag("li", f"{what}: ", tag("code", at)) for at, what in far]) if far else None,
        class_="finding",
    )  # fmt: skip


def _level(finding: Mapping[str, Any]) -> str:
    return finding["level"] if finding["level"] in ("warning", "note") else "error"


def _related(finding: Mapping[str, Any]) -> tuple[dict[int, str], list[tuple[str, str]]]:
    """Return what is related on the lines that are shown, and what is elsewhere."""
    held = finding.get("excerpt") or {"first": 1, "lines": ()}
    lines = range(held["first"], held["first"] + len(held["lines"]))
    near: dict[int, str] = {}
    far = []
    for other in finding["related"]:
        if other["file"] == finding["file"] and other["line"] in lines:
            known = near.get(other["line"])
            near[other["line"]] = other["what"] if known is None else f"{known}, {other['what']}"
        else:
            far.append((f"{other['file']}:{other['line']}", other["what"]))
    return near, far


def _source(finding: Mapping[str, Any], near: Mapping[int, str], what: str) -> Markup | None:
    held = finding.get("excerpt")
    if not held:
        return None
    rows = []
    for line, text in enumerate(held["lines"], held["first"]):
        said = near.get(line)
        cause = line == finding["line"]
        if cause:
            said = what if said is None else f"{what}, {said}"
        marks = "cause" if cause else "step" if said else None
        note = tag("span", f"◂ {said}", class_="note") if said else None
        code = tag("span", text.expandtabs(4), class_="text")
        rows.append(tag("li", tag("span", line, class_="at"), code, note, class_=marks))
    return tag("ol", rows, class_="source", tabindex="0", aria_label="source")


def _witness(witness: Mapping[str, Any] | None) -> Markup | None:
    if witness is None:
        return None
    if "values" in witness:
        rows: list[tuple[str, object]] = [
            (name, tag("code", value)) for name, value in witness["values"].items()
        ]
        rows += [(n, tag("code", witness[n])) for n in ("left", "right") if witness[n] is not None]
        return tag("section", tag("h3", "Witness"), tag("p", witness["how"]), _listed(rows))
    rows = [("differ", witness["how"]), ("event", tag("code", witness["event"]["words"]))]
    counts = witness["counts"]
    return tag(
        "section",
        tag("h3", "Witness"),
        tag("p", "The two datasets are neighbors. The probabilities of the event on them differ by "
                 "more than the claim allows."),
        _side_by_side(witness["left"]["text"], witness["right"]["text"]),
        _listed(rows),
        None if counts is None else rates(counts),
        None if not counts else tag("p", "These draws did not choose the event.",
                                    class_="small"),
    )  # fmt: skip


def _side_by_side(left: str, right: str) -> Markup:
    """Return two datasets beside each other, with the parts marked in which they differ."""
    parts: list[list[str]] = [
        _PART.findall(plain(text, _LONGEST_DATASET)) for text in (left, right)
    ]
    shown: tuple[list[object], list[object]] = ([], [])
    for how, a, b, c, d in SequenceMatcher(None, parts[0], parts[1], autojunk=False).get_opcodes():
        for side, part in zip(shown, (parts[0][a:b], parts[1][c:d]), strict=True):
            text = "".join(part)
            if text:
                side.append(text if how == "equal" else tag("mark", text))
    columns = [
        tag("div", tag("dt", name), tag("dd", tag("code", said)))
        for name, said in zip(("left", "right"), shown, strict=True)
    ]
    return tag("dl", columns, class_="pair")


def _pictures(report: Mapping[str, Any]) -> Markup | None:
    drawn = figures(report)
    if not drawn:
        return None
    weighed = (
        "The bets that refute the claim use all outputs at once. The bands bound the rate of each "
        "event separately, on any pair. They are wider, and may contain a claim that the bets "
        "refute."
    )
    sampled = report["verdict"] == "REFUTED" and any(e.get("trail") for e in report["evidence"])
    return tag(
        "section",
        tag("h3", "Evidence"),
        tag("div", drawn, class_="figures"),
        tag("p", weighed, class_="small") if sampled else None,
    )


def _coverage(report: Mapping[str, Any]) -> Markup:
    value = number(report["detectable_epsilon"])
    both = report["pairs_tried"], report.get("pairs_sampled", 0)
    if math.isfinite(value):
        said = (
            f"This run would have detected an epsilon of {upper(value)} or more with probability "
            f"0.9, on a searched event of probability "
            f"{number(report['detectable_probability']):g} or more.{caught_where(*both)}"
        )
    elif report["verdict"] == "VERIFIED":
        said = (
            "The claim is proved under the assumptions below. The verdict does not rest on a "
            "search for violations."
        )
    elif report["verdict"] == "REFUTED":
        said = "A violation was found, and the search ended with it."
    else:
        said = "This run was too short to detect a violation of any size."
    # Beside a proof it is no answer that sampling alone decided nothing.
    none = {None, "INCONCLUSIVE"} if report["verdict"] == "VERIFIED" else {None}
    rows = [
        (
            evidence["engine"],
            "no verdict" if evidence["verdict"] in none else in_words(evidence["verdict"]),
            f"{evidence['calls']:,}",
            duration(number(evidence["seconds"])),
            evidence["reason"],
        )
        for evidence in report["evidence"]
    ]
    return tag(
        "section",
        tag("h3", "What would have been detected"),
        tag("p", said),
        _detectable(report.get("detectable") or []),
        _table(("engine", "answer", "calls", "time", "because"), rows, numeric=(2, 3)),
        None if report["completed"] else tag("p", "The audit could not be completed."),
    )


def _detectable(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Return the curve and the table of the smallest epsilons that would have been caught."""
    if not rows:
        return None
    known = [Detectable(**{key: _finite(row[key]) for key in row}) for row in rows]
    return tag(
        "div",
        tag("div", caught(rows), class_="figures"),
        _table(HEADS, table_rows(known), numeric=range(len(HEADS))),
        tag("p", "Smallest epsilons that would have been detected with probability 0.9, on one "
                 "searched event, in outputs that are otherwise alike.",
            class_="small"),
    )  # fmt: skip


def _settings(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Return the table with a row for each setting of a family."""
    if not rows:
        return None
    cells = [row_cells(row) for row in rows]
    table = _table(SETTING_HEADS, cells, numeric=NUMERIC)
    return tag("section", tag("h3", "Settings"), table)


def _finite(value: Any) -> Any:
    return value if value is None else number(value)


def _ledger(report: Mapping[str, Any]) -> Markup:
    alpha = number(report["alpha"])
    rows = []
    for evidence in report["evidence"]:
        for pair in evidence["pairs"]:
            weight, nats = number(pair["weight"]), number(pair["log_e_value"])
            needed = -math.log(weight * alpha) if weight * alpha > 0 else math.inf
            alone = "yes" if nats >= needed else "no"
            numbers = (f"{pair['calls']:,}", f"{nats:.2f}", e_value(nats), f"{needed:.2f}")
            rows.append((pair["how"], f"{weight:.3g}", *numbers, alone))
    heads = ("pair", "weight", "calls", "nats", "e-value", "nats that refute", "refutes alone")
    table = _table(heads, rows, numeric=(1, 2, 3, 4, 5)) if rows else None
    number_of = f"{len(rows)} pair{'' if len(rows) == 1 else 's'}"
    return tag(
        "section",
        tag("h3", "Error probability"),
        tag("p", f"α = {alpha:g} is the declared probability of a false refutation; "
                 f"the audit spent {upper(number(report['alpha_spent']))} of it over all pairs, "
                 "events and looks."),
        tag("details", tag("summary", f"Ledger of {number_of}"), table, open=len(rows) <= _FEW)
        if rows else None,
    )  # fmt: skip


def _checked(report: Mapping[str, Any]) -> str:
    if report["verdict"] != "VERIFIED":
        return ""
    return "The checker accepted it in this run."


def _certificate(certificate: Any, report: Mapping[str, Any]) -> Markup | None:
    if not certificate:
        return None
    text = local(json.dumps(certificate, indent=1))
    kind_of = certificate.get("kind", "proof") if isinstance(certificate, Mapping) else "proof"
    lines = [tag("span", line, class_="line") for line in text.splitlines()]
    return tag(
        "section",
        tag("h3", "Certificate"),
        tag("p", f"A certificate of kind {kind_of}. ",
            tag("code", "dpaudit run --certificates FOLDER"), " writes it to a file, and ",
            tag("code", "dpaudit check"), " checks that file again. ",
            _checked(report)),
        tag("details", tag("summary", f"{len(text):,} characters of JSON"),
            tag("div", lines, class_="json", tabindex="0", role="group", aria_label="certificate"))
        if len(text) <= _LONGEST_CERTIFICATE else
        tag("p", f"Its {len(text):,} characters are not repeated here.", class_="small"),
    )  # fmt: skip


def _repair(repair: Mapping[str, Any] | None) -> Markup | None:
    if repair is None:
        return None
    lines = [tag("span", line, class_="line") for line in repair["diff"].splitlines()]
    return tag("section", tag("h3", "Repair"), tag("p", repair["what"]),
               tag("div", lines, class_="json", tabindex="0"))  # fmt: skip


def _sentences(title: str, sentences: Sequence[str]) -> Markup | None:
    if not sentences:
        return None
    return tag("section", tag("h3", title), tag("ul", [tag("li", each) for each in sentences]))


def _listed(rows: Sequence[tuple[str, object]]) -> Markup:
    return tag("dl", [tag("div", tag("dt", key), tag("dd", said)) for key, said in rows])


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[object]], *, numeric: Sequence[int] = ()
) -> Markup:
    def side(place: int) -> str | None:
        return "number" if place in numeric else None

    return tag(
        "div",
        tag("table",
            tag("thead", tag("tr", [tag("th", h, scope="col", class_=side(i))
                                    for i, h in enumerate(heads)])),
            tag("tbody", [tag("tr", [tag("td", cell, class_=side(i)) for i, cell in enumerate(row)])
                          for row in rows])),
        class_="wide",
        tabindex="0",
        role="group",
        aria_label=f"table: {', '.join(heads[:2])}",
    )  # fmt: skip
