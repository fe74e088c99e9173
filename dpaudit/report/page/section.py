"""What the page says of one audit, part by part, for ``templates/audit.html``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

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
from dpaudit.report.page.figures import Figure, Side, caught, figures, rates
from dpaudit.report.paths import local
from dpaudit.report.results import is_located
from dpaudit.report.text import sizes_of_runs

_LONGEST_CERTIFICATE = 20_000
_LONGEST_DATASET = 1_000
_PART = re.compile(r"[\w.+-]+|\s+|[^\w\s]", re.ASCII)


class Line(NamedTuple):
    """A line of source: its number, its text, how it is marked, and what is said beside it."""

    at: int
    text: str
    mark: str | None
    said: str | None


def section(audit: Mapping[str, Any], anchor: str) -> dict[str, Any]:
    """Return an audit's part of the page.

    Parameters
    ----------
    audit : mapping
        As JSON holds it.
    anchor : str
        Of the part, for links.

    Returns
    -------
    dict
        Its texts, lists and tables by name. ``"report"`` is None if the audit did not end.
    """
    report = audit.get("report")
    because = f": {audit['expected_because']}" if audit["expected_because"] else ""
    return {
        "name": audit["name"],
        "anchor": anchor,
        "verdict": verdict(audit),
        "status": status(audit),
        "mechanism": audit["mechanism"],
        "claim": audit["claim"] or "none",
        "neighbors": audit["neighbors"] or "none",
        "sizes": sizes_of_runs(audit["neighbors"] or "", (report or {}).get("verdict") or ""),
        "expected": f"{in_words(audit['expect'])}{because}",
        "accepted": accepted_because(audit),
        "replay": replay(audit),
        "why": audit["error"] or "it was interrupted",
        "report": None if report is None else _body(report),
    }


def _body(report: Mapping[str, Any]) -> dict[str, Any]:
    notes = dict.fromkeys(note for each in report["evidence"] for note in each["notes"])
    refuted, repair = report["verdict"] == "REFUTED", report.get("repair")
    return {
        "sentence": report["sentence"],
        "place": place(report),
        "effort": _effort(report),
        "next": report.get("next") or [],
        "settings": {
            "heads": SETTING_HEADS,
            "rows": [row_cells(row) for row in report.get("settings") or []],
            "numeric": NUMERIC,
        },
        "findings": [_finding(finding, report) for finding in report["findings"]],
        "witness": report["witness"] and _witness(report["witness"]),
        "figures": figures(report),
        "bets": refuted and any(each.get("trail") for each in report["evidence"]),
        "coverage": _coverage(report),
        "engines": _engines(report),
        "detectable": _detectable(report),
        "completed": report["completed"],
        "alpha": f"{number(report['alpha']):g}",
        "spent": upper(number(report["alpha_spent"])),
        "ledger": _ledger(report),
        "certificate": report["certificate"] and _certificate(report),
        "repair": repair and (repair["what"], repair["diff"]),
        "assumptions": report["assumptions"],
        "notes": list(notes),
    }


def _effort(report: Mapping[str, Any]) -> str:
    calls, pairs = report["calls"], report["pairs_tried"]
    seconds = duration(number(report["seconds"]))
    plural = "" if pairs == 1 else "s"
    return f"{calls:,} calls on {pairs:,} pair{plural} in {seconds}, seed {report['seed']}"


def _finding(finding: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    near, far = _related(finding)
    level = finding["level"]
    cause = "cause" if is_located(finding, report) else "the mechanism"
    return {
        "level": level,
        "badge": level if level in ("warning", "note") else "error",
        "kind": kind(finding["id"]),
        "message": finding["message"],
        "place": place(finding),
        "also": ", ".join(finding["also"]),
        "engine": finding["engine"],
        "lines": _source(finding, near, cause),
        "related": far,
    }


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


def _source(finding: Mapping[str, Any], near: Mapping[int, str], what: str) -> list[Line]:
    held = finding.get("excerpt") or {"first": 1, "lines": ()}
    lines = []
    for at, text in enumerate(held["lines"], held["first"]):
        said, cause = near.get(at), at == finding["line"]
        if cause:
            said = what if said is None else f"{what}, {said}"
        mark = "cause" if cause else "step" if said else None
        lines.append(Line(at, text.expandtabs(4), mark, said))
    return lines


class _Shown(NamedTuple):
    """A witness: what is said of it, in code where it has values, and two datasets."""

    said: str
    values: Sequence[tuple[str, str]]
    pair: Sequence[tuple[str, Sequence[tuple[bool, str]]]] = ()
    differ: str | None = None
    event: str | None = None
    rates: Sequence[Side] = ()


def _witness(witness: Mapping[str, Any]) -> _Shown:
    if "values" in witness:
        values = list(witness["values"].items())
        values += [(name, witness[name]) for name in ("left", "right") if witness[name] is not None]
        return _Shown(witness["how"], values)
    said = (
        "The two datasets are neighbors. The probabilities of the event on them differ by more "
        "than the claim allows."
    )
    pair = _side_by_side(witness["left"]["text"], witness["right"]["text"])
    event = witness["event"]["words"]
    return _Shown(said, (), pair, witness["how"], event, rates(witness["counts"]))


def _side_by_side(left: str, right: str) -> list[tuple[str, list[tuple[bool, str]]]]:
    """Return two datasets in parts, each with whether the other one differs there."""
    parts = [_PART.findall(plain(text, _LONGEST_DATASET)) for text in (left, right)]
    shown: tuple[list[tuple[bool, str]], list[tuple[bool, str]]] = ([], [])
    for how, a, b, c, d in SequenceMatcher(None, parts[0], parts[1], autojunk=False).get_opcodes():
        for side, part in zip(shown, (parts[0][a:b], parts[1][c:d]), strict=True):
            if part:
                side.append((how != "equal", "".join(part)))
    return list(zip(("left", "right"), shown, strict=True))


def _coverage(report: Mapping[str, Any]) -> str:
    if report["verdict"] == "VERIFIED":
        return (
            "The claim is proved under the assumptions below. The verdict does not rest on a "
            "search for violations."
        )
    value = number(report["detectable_epsilon"])
    if math.isfinite(value):
        where = caught_where(report["pairs_tried"], report.get("pairs_sampled", 0))
        claim = report.get("claim") or {"epsilon": None}
        stated = "epsilon" in claim and "order" not in claim
        epsilon = "an epsilon" if stated else "a pure-DP epsilon"
        if stated and claim.get("delta"):
            epsilon += f" at delta {number(claim['delta']):g}"
        return (
            f"This run would have detected {epsilon} of {upper(value)} or more with probability "
            f"0.9, on a searched event of probability "
            f"{number(report['detectable_probability']):g} or more.{where}"
        )
    if report["verdict"] == "REFUTED":
        return "A violation was found, and the search ended with it."
    return "This run was too short to detect a violation of any size."


def _engines(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    # Beside a proof it is no answer that sampling alone decided nothing.
    none = {None, "INCONCLUSIVE"} if report["verdict"] == "VERIFIED" else {None}
    return [
        (
            evidence["engine"],
            "no verdict" if evidence["verdict"] in none else in_words(evidence["verdict"]),
            f"{evidence['calls']:,}",
            duration(number(evidence["seconds"])),
            evidence["reason"],
        )
        for evidence in report["evidence"]
    ]


class _Caught(NamedTuple):
    """The smallest epsilons that would have been caught: a curve, unless there is none; a table."""

    figure: Figure | None
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def _detectable(report: Mapping[str, Any]) -> _Caught | None:
    rows = report.get("detectable") or []
    if not rows or report["verdict"] == "VERIFIED":  # what draws would detect limits no proof
        return None
    known = [Detectable(**{key: _finite(row[key]) for key in row}) for row in rows]
    return _Caught(caught(rows), HEADS, table_rows(known))


def _finite(value: Any) -> Any:
    return value if value is None else number(value)


def _ledger(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    alpha = number(report["alpha"])
    rows: list[tuple[str, ...]] = []
    for evidence in report["evidence"]:
        for pair in evidence["pairs"]:
            weight, nats = number(pair["weight"]), number(pair["log_e_value"])
            needed = -math.log(weight * alpha) if weight * alpha > 0 else math.inf
            alone = "yes" if nats >= needed else "no"
            numbers = (f"{pair['calls']:,}", f"{nats:.2f}", e_value(nats), f"{needed:.2f}")
            rows.append((pair["how"], f"{weight:.3g}", *numbers, alone))
    return rows


class _Certificate(NamedTuple):
    """A certificate: its kind and size, its JSON unless that is long, whether it was checked."""

    kind: str
    characters: int
    text: str | None
    accepted: bool


def _certificate(report: Mapping[str, Any]) -> _Certificate:
    certificate = report["certificate"]
    text = local(json.dumps(certificate, indent=1))
    kind_of = certificate.get("kind", "proof") if isinstance(certificate, Mapping) else "proof"
    shown = text if len(text) <= _LONGEST_CERTIFICATE else None
    return _Certificate(kind_of, len(text), shown, report["verdict"] == "VERIFIED")
