"""Writes entries of a baseline file from what a run or the linter found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from dpaudit.baseline.file import TABLE, Baseline
from dpaudit.baseline.linted import place
from dpaudit.report.audited import found_ids


def unaccepted(found: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    """Return the findings of a run, or of the linter, that nothing accepts.

    Parameters
    ----------
    found : mapping
        As ``dpaudit run --json`` or ``dpaudit lint --format json`` writes it.

    Returns
    -------
    dict
        Kinds of violation by ``("audit", name)`` or ``("lint", "file::function")``.
    """
    ids: dict[tuple[str, str], list[str]] = {}
    for audit in found.get("audits", ()):
        report = audit.get("report")
        if audit["status"] == "UNEXPECTED" and report and report["verdict"] == "REFUTED":
            ids["audit", audit["name"]] = found_ids(audit)
    for finding in found.get("findings", ()):
        listed = ids.setdefault(("lint", place(finding["file"], finding["line"])), [])
        listed += [] if finding["id"] in listed else [finding["id"]]
    return {key: listed for key, listed in ids.items() if listed}


def extended(
    baseline: Baseline, found: Mapping[tuple[str, str], list[str]], reason: str, until: date
) -> str:
    """Return the text of a baseline file with an entry for each finding; what was there stays.

    Parameters
    ----------
    baseline : Baseline
        What is there already.
    found : mapping
        Of `unaccepted`.
    reason : str
    until : date

    Returns
    -------
    str
    """
    parts = [baseline.text.rstrip("\n")] if baseline.text.strip() else []
    for (key, about), ids in found.items():
        parts.append(
            f"[[{TABLE}]]\n{key} = {_quoted(about)}\nids = [{', '.join(map(_quoted, ids))}]\n"
            f"reason = {_quoted(reason)}\nuntil = {until.isoformat()}"
        )
    return "\n\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    """Return a basic string of TOML, whose escapes are those of JSON; DEL must be escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
