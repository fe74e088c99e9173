"""A dossier as one HTML file, for people who sign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpaudit.report.audited import in_words
from dpaudit.report.page.document import page

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
    return page(
        "dossier.html",
        "Privacy review",
        said=said,
        made=made,
        findings=_findings(made),
        unaudited=[f"{f['file']}:{f['line']}: {f['name']}" for f in made["unaudited"]],
        hazards=[
            (hazard, _WORDS[hazard["status"]], _CLASSES[hazard["status"]], _why(hazard))
            for hazard in made["hazards"]
        ],
        audits=[(audit, _verdict(audit)) for audit in made["audits"]],
    )


def _why(hazard: Mapping[str, Any]) -> list[str]:
    said = [f"{_REACH[hazard['reach']]}{hazard['seen']}."]
    if hazard["violated"]:
        said.append(f"Violated by {', '.join(hazard['violated'])}.")
    if hazard["undecided"]:
        names = ", ".join(hazard["undecided"])
        said.append(f"Not answered, since these audits ended for another reason: {names}.")
    said += [
        f"To look at: {lead['file']}:{lead['line']}: {lead['id']} {lead['message']}"
        for lead in hazard["leads"]
    ]
    if hazard["declared"]:
        said.append(f"Declared: {hazard['declared']}")
    elif hazard["reach"] != "whole":
        said.append(f"Nothing is declared; [tool.dpaudit.review] {hazard['key']} answers.")
    return said


def _findings(made: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{f['file']}:{f['line']}: {f['level']} {f['id']} {f['message']}" for f in made["findings"]
    ]
    lines += [
        f"{f['file']}:{f['line']}: {f['id']} set aside: {f['reason']}" for f in made["set_aside"]
    ]
    return lines + [f"{f['file']} could not be read: {f['message']}" for f in made["unread"]]


def _verdict(audit: Mapping[str, Any]) -> str:
    verdict = in_words(audit["verdict"] or "not completed")
    return "; ".join([verdict, audit["accepted"]] if audit["accepted"] else [verdict])
