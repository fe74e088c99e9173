"""A dossier as one HTML file, for people who sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.report.audited import in_words
from dpaudit.report.page.document import page
from dpaudit.report.page.markup import Markup, joined, tag

_WORDS = {
    "violated": "violated",
    "checked": "checked",
    "partly": "partly checked, the rest declared",
    "declared": "declared",
    "open": "OPEN",
}
_CLASSES = {
    "violated": "refuted",
    "checked": "verified",
    "partly": "not-refuted",
    "declared": "not-refuted",
    "open": "inconclusive",
}
_REACH = {"whole": "Audits see: ", "part": "Audits see a part: ", "none": "Audits see "}


def dossier_html(made: Mapping[str, Any]) -> str:
    """Return a dossier as one HTML file that loads nothing.

    Parameters
    ----------
    made : mapping
        As `dpaudit.review.dossier` returns it.

    Returns
    -------
    str
    """
    open_ones = sum(hazard["status"] == "open" for hazard in made["hazards"])
    violated = sum(hazard["status"] == "violated" for hazard in made["hazards"])
    said = (
        f"{len(made['audits'])} audits, {len(made['findings'])} findings in the source; of "
        f"{len(made['hazards'])} hazards {violated} violated and {open_ones} open"
    )
    body = joined(
        tag("header", tag("h1", "Privacy review"), tag("p", said, class_="lead")),
        tag(
            "main",
            _section("Hazards", _hazards(made["hazards"])),
            _section("Mechanisms and claims", _audits(made["audits"])),
            _section("Functions without an audit", _unaudited(made["unaudited"])),
            _section("What the source shows", _findings(made)),
            _section("Assumptions", _listed(made["assumptions"], "None is listed.")),
            _section("What this rests on", _pairs(made["trusted"])),
            _section("What no audit of code can show", _listed(made["beyond"], "")),
            _section("Environment", _pairs(made["environment"])),
        ),
    )
    return page("Privacy review", body)


def _section(title: str, content: Markup) -> Markup:
    return tag("section", tag("h2", title), content)


def _hazards(hazards: Sequence[Mapping[str, Any]]) -> Markup:
    head = tag("tr", [tag("th", word, scope="col") for word in ("hazard", "status", "why")])
    rows = [
        tag(
            "tr",
            tag("th", hazard["title"], scope="row"),
            tag(
                "td",
                tag("span", _WORDS[hazard["status"]],
                    class_=f"badge {_CLASSES[hazard['status']]}"),
            ),
            tag("td", tag("p", tag("b", hazard["question"])), [tag("p", w) for w in _why(hazard)]),
        )
        for hazard in hazards
    ]  # fmt: skip
    return _wide("hazards", head, rows)


def _wide(name: str, head: Markup, rows: Sequence[Markup]) -> Markup:
    table = tag("table", tag("thead", head), tag("tbody", rows))
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=name)


def _why(hazard: Mapping[str, Any]) -> list[str]:
    said = [f"{_REACH[hazard['reach']]}{hazard['seen']}."]
    if hazard["violated"]:
        said.append(f"Violated by {', '.join(hazard['violated'])}.")
    if hazard["undecided"]:
        names = ", ".join(hazard["undecided"])
        said.append(f"No answer, since refuted for another reason or not decided: {names}.")
    said += [
        f"To look at: {lead['file']}:{lead['line']}: {lead['id']} {lead['message']}"
        for lead in hazard["leads"]
    ]
    if hazard["declared"]:
        said.append(f"Declared: {hazard['declared']}")
    elif hazard["reach"] != "whole":
        said.append(f"Nothing is declared; [tool.dpaudit.review] {hazard['key']} answers.")
    return said


def _audits(audits: Sequence[Mapping[str, Any]]) -> Markup:
    names = (
        *("audit", "mechanism", "claim", "neighbors", "verdict", "found", "what it says"),
        *("source", "seed"),
    )
    head = tag("tr", [tag("th", word, scope="col") for word in names])
    rows = [
        tag(
            "tr",
            tag("th", tag("code", audit["name"]), scope="row"),
            tag("td", tag("code", audit["mechanism"])),
            tag("td", audit["claim"] or "-"),
            tag("td", audit["neighbors"] or "-"),
            tag("td", "; ".join(_verdict(audit))),
            tag("td", ", ".join(audit["ids"]) or "-"),
            tag("td", audit["said"]),
            tag("td", tag("code", audit["source_hash"] or "-")),
            tag("td", "-" if audit["seed"] is None else str(audit["seed"])),
        )
        for audit in audits
    ]
    return _wide("mechanisms", head, rows)


def _verdict(audit: Mapping[str, Any]) -> list[str]:
    verdict = in_words(audit["verdict"] or "not completed")
    return [verdict, audit["accepted"]] if audit["accepted"] else [verdict]


def _findings(made: Mapping[str, Any]) -> Markup:
    lines = [
        f"{f['file']}:{f['line']}: {f['level']} {f['id']} {f['message']}" for f in made["findings"]
    ]
    lines += [
        f"{f['file']}:{f['line']}: {f['id']} set aside: {f['reason']}" for f in made["set_aside"]
    ]
    lines += [f"{f['file']} could not be read: {f['message']}" for f in made["unread"]]
    return _listed(lines, "Nothing was found, and nothing set aside.")


def _unaudited(functions: Sequence[Mapping[str, Any]]) -> Markup:
    lines = [f"{f['file']}:{f['line']}: {f['name']}" for f in functions]
    return _listed(lines, "Every function that looks like a mechanism has an audit.")


def _listed(lines: Sequence[str], otherwise: str) -> Markup:
    return tag("ul", [tag("li", line) for line in lines]) if lines else tag("p", otherwise)


def _pairs(pairs: Mapping[str, str]) -> Markup:
    return tag("dl", [tag("div", tag("dt", key), tag("dd", said)) for key, said in pairs.items()])
