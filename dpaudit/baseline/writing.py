"""Writes entries of a baseline file from what a run or the linter found."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from datetime import date
from typing import Any

import tomlkit
from tomlkit.items import Array

from dpaudit.baseline import linted
from dpaudit.baseline.file import TABLE, Baseline, Entry
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
        listed = ids.setdefault(("lint", linted.place(finding["file"], finding["line"])), [])
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
        Entries of the baseline that have expired. The first one about a finding is renewed where
        it stands, others about it are taken out.

    Returns
    -------
    str
    """
    document = tomlkit.parse(baseline.text)
    listed = document.setdefault(TABLE, tomlkit.aot())
    renewed: dict[tuple[str, str], MutableMapping[str, Any]] = {}
    superseded = []
    for place, old in enumerate(baseline.entries):
        about = ("audit" if old.audit else "lint", old.about)
        if old in replaced and about in renewed:
            superseded.append(place)
        elif old in replaced:
            renewed[about] = listed[place]
    for place in reversed(superseded):
        del listed[place]
    new = tomlkit.inline_table if isinstance(listed, Array) else tomlkit.table
    for about, ids in found.items():
        entry = renewed.get(about)
        if entry is None:
            entry = new()
            entry[about[0]] = about[1]
        entry.update(ids=ids, reason=reason, until=until)
        if about not in renewed:
            listed.append(entry)
    return tomlkit.dumps(document)
