"""Writes entries of a baseline file from what a run or the linter found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from dpaudit.baseline.file import (
    FILE,
    TABLE,
    Baseline,
    BaselineError,
    Entry,
    headers,
    parsed_baseline,
)
from dpaudit.baseline.linted import place
from dpaudit.report.audited import found_ids
from dpaudit.violations import VIOLATIONS


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
        if finding["id"] not in VIOLATIONS:  # a comment that is wrong is to be mended
            continue
        listed = ids.setdefault(("lint", place(finding["file"], finding["line"])), [])
        listed += [] if finding["id"] in listed else [finding["id"]]
    return {key: listed for key, listed in ids.items() if listed}


def expired(
    baseline: Baseline, found: Mapping[tuple[str, str], list[str]], today: date
) -> list[Entry]:
    """Return the entries whose day has passed, and that are about what was found again.

    Parameters
    ----------
    baseline : Baseline
    found : mapping
        Of `unaccepted`.
    today : date
    """
    return [
        entry
        for entry in baseline.entries
        if not entry.is_live(today)
        and set(entry.ids) & set(found.get(("audit" if entry.audit else "lint", entry.about), ()))
    ]


def extended(
    baseline: Baseline,
    found: Mapping[tuple[str, str], list[str]],
    reason: str,
    until: date,
    replaced: Sequence[Entry] = (),
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
    replaced : sequence of Entry
        Entries of the baseline that are not to stay.

    Returns
    -------
    str

    Raises
    ------
    BaselineError
        Where an entry cannot be added or taken out.
    """
    written = {
        about: f"[[{TABLE}]]\n{about[0]} = {_quoted(about[1])}\n"
        f"ids = [{', '.join(map(_quoted, ids))}]\n"
        f"reason = {_quoted(reason)}\nuntil = {until.isoformat()}"
        for about, ids in found.items()
    }
    kept = _without(baseline.text, replaced)
    parts = [kept.rstrip("\n")] if kept.strip() else []
    text = "\n\n".join([*parts, *written.values()]) + "\n"
    _validate(text, baseline, [entry for entry in baseline.entries if entry not in replaced])
    return text


def _without(text: str, entries: Sequence[Entry]) -> str:
    """Return the text without some entries; comments above the next one stay."""
    lines = text.split("\n")
    begins = headers(text)
    for entry in sorted(entries, key=lambda entry: -entry.line):
        first = entry.line - 1
        last = next((line - 1 for line in begins if line > entry.line), len(lines))
        while last > first + 1 and lines[last - 1].lstrip()[:1] in ("", "#"):
            last -= 1
        del lines[first:last]
        while 0 < first < len(lines) and not (lines[first].strip() or lines[first - 1].strip()):
            del lines[first]
    return "\n".join(lines)


def _validate(text: str, baseline: Baseline, kept: Sequence[Entry]) -> None:
    """Refuse a text that does not hold what is to stay: nothing is written then."""
    path = Path(baseline.name or FILE)
    try:
        held = parsed_baseline(text, path).entries[: len(kept)]
    except BaselineError:
        held = ()
    if [replace(entry, line=0) for entry in held] != [replace(entry, line=0) for entry in kept]:
        raise BaselineError(
            f"{path} has entries that cannot be changed in its text. Write each as a table "
            f"[[{TABLE}]] whose texts take one line, or give another file by --output"
        )


def _quoted(text: str) -> str:
    """Return a basic string of TOML, whose escapes are those of JSON; DEL must be escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
