"""From a run, the linter's findings and declarations to a dossier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpaudit.report.audited import accepted_because
from dpaudit.report.environment import environment_of
from dpaudit.review.hazards import HAZARDS, Hazard

SCHEMA_VERSION = 1
_DECIDED = ("NOT_REFUTED", "VERIFIED")
BEYOND = (
    "that the deployed program is the code that was audited, and drew this noise",
    "that inputs satisfy the assumptions that audits list, where callers promise to enforce them",
    "how often a mechanism is called, on which data, and what else is released about it",
    "violations smaller than an audit says it would have caught, where it proves nothing",
)
TRUSTED = {
    "formal": "the lifter, its rules, the solvers and the certificate's checker; noise that is "
    "ideal and real-valued",
    "statistical": "the seeded generator of NumPy, and that calls are independent, which is tested",
    "trace": "that noise passes through the calls that are intercepted",
    "static": "nothing: its findings are leads, no proofs",
}


def dossier(
    run: Mapping[str, Any], linted: Mapping[str, Any], declared: Mapping[str, str]
) -> dict[str, Any]:
    """Return the dossier of a project.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.
    linted : mapping
        As ``dpaudit lint --format json`` prints it.
    declared : mapping
        What the authors say, by the key of a hazard.

    Returns
    -------
    dict
        JSON-able. A hazard's ``status`` is ``"violated"``, ``"checked"``, ``"partly"`` (what was
        checked held, and the rest is declared), ``"declared"`` or ``"open"``; an unanswered one is
        open, never checked.

    Raises
    ------
    ValueError
        Where a declaration is about no hazard.
    """
    unknown = sorted(set(declared) - {hazard.key for hazard in HAZARDS})
    if unknown:
        known = ", ".join(hazard.key for hazard in HAZARDS)
        raise ValueError(f"there is no hazard {unknown[0]!r} to declare on; there are {known}")
    audits = [_audit(audit) for audit in run["audits"]]
    return {
        "schema_version": SCHEMA_VERSION,
        "audits": audits,
        "findings": list(linted["findings"]),
        "set_aside": list(linted["ignored"]),
        "unaudited": _unaudited(linted, audits),
        "unread": [*run.get("failures", ()), *linted["failures"]],
        "hazards": [_answered(hazard, audits, linted, declared) for hazard in HAZARDS],
        "assumptions": sorted({a for audit in audits for a in audit["assumptions"]}),
        "trusted": {
            engine: words
            for engine, words in TRUSTED.items()
            if engine == "static" or any(engine in audit["engines"] for audit in audits)
        },
        "beyond": list(BEYOND),
        "environment": environment_of(run),
    }


def _audit(audit: Mapping[str, Any]) -> dict[str, Any]:
    report = audit["report"] or {}
    findings = report.get("findings", ())
    return {
        "name": audit["name"],
        "mechanism": audit["mechanism"],
        "file": report.get("file"),
        "line": report.get("line"),
        "source_hash": report.get("source_hash"),
        "claim": audit["claim"],
        "neighbors": audit["neighbors"],
        "verdict": report.get("verdict"),
        "said": report.get("sentence") or audit["error"] or "",
        "accepted": accepted_because(audit),
        "ids": sorted({f["id"] for f in findings if f["level"] == "error"}),
        "also": sorted({id for f in findings for id in f["also"] if f["level"] == "error"}),
        "assumptions": list(report.get("assumptions", ())),
        "engines": [one["engine"] for one in report.get("evidence", ())],
        "alpha": report.get("alpha"),
        "seed": report.get("seed"),
        "calls": report.get("calls", 0),
    }


def _unaudited(linted: Mapping[str, Any], audits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the functions that no audit names, in its file or in the run."""
    run = {(a["file"], str(a["mechanism"]).partition(":")[2]) for a in audits}
    return [f for f in linted.get("unaudited", ()) if (f["file"], f["name"]) not in run]


def _answered(
    hazard: Hazard,
    audits: list[dict[str, Any]],
    linted: Mapping[str, Any],
    declared: Mapping[str, str],
) -> dict[str, Any]:
    violated = [a["name"] for a in audits if set(hazard.ids) & {*a["ids"], *a["also"]}]
    leads = [f for f in linted["findings"] if f["id"] in hazard.ids and f["level"] == "error"]
    # A refutation for another reason says nothing of this hazard.
    undecided = [
        a["name"]
        for a in audits
        if hazard.ids and a["verdict"] not in _DECIDED and a["name"] not in violated
    ]
    said = declared.get(hazard.key, "")
    if violated:
        status = "violated"
    elif hazard.reach == "none" or not audits or undecided or leads:
        status = "declared" if said and hazard.reach == "none" else "open"
    elif hazard.reach == "part":
        status = "partly" if said else "open"
    else:
        status = "checked"
    return {
        "key": hazard.key,
        "title": hazard.title,
        "question": hazard.question,
        "status": status,
        "reach": hazard.reach,
        "seen": hazard.seen,
        "ids": list(hazard.ids),
        "violated": violated,
        "undecided": undecided,
        "leads": [{k: f[k] for k in ("id", "file", "line", "message")} for f in leads],
        "declared": said,
    }
