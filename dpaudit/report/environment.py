"""The environment of a stored run in words: date, commit, packages, platform, seeds, options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dpaudit.report.escape import plain

_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


def environment_of(run: Mapping[str, Any]) -> dict[str, str]:
    """Return where a stored run took place, as words; what it does not say is missing.

    Parameters
    ----------
    run : mapping
        As ``dpaudit run --json`` writes it.

    Returns
    -------
    dict of str to str
    """
    held = run.get("provenance")
    if not isinstance(held, Mapping):
        return {"environment": "not stated in the run; run the audits anew"}
    commit = str(held.get("commit") or "none")
    found = {
        "date": str(held.get("date")),
        "commit": commit + (" with changes" if held.get("dirty") else ""),
        "python": str(held.get("python")),
        "system": str(held.get("platform")),
    }
    packages = dict(held.get("packages") or {})
    hashes: dict[str, str] = {}
    seeds: dict[str, None] = {}
    for audit in run.get("audits", ()):
        report = audit.get("report") or {}
        made = report.get("provenance") or {}
        packages |= made.get("packages") or {}
        hashes |= made.get("hashes") or {}
        seeds |= {str(report["seed"]): None} if "seed" in report else {}
    options = {n: v for n, v in (held.get("options") or {}).items() if v not in (None, [], False)}
    found["seeds"] = ", ".join(seeds) or "none"
    found["options"] = ", ".join(f"{name}={value}" for name, value in options.items()) or "none"
    packages |= {n: f"{packages.get(n)}, SHA-256 of its files {h}" for n, h in hashes.items()}
    return found | {str(name): str(number) for name, number in sorted(packages.items())}


def line_of(run: Mapping[str, Any]) -> str:
    """Return in one line where a stored run took place; empty where it does not say."""
    found = environment_of(run)
    if "date" not in found:
        return ""
    return "{date}, commit {commit}, {python}, {system}".format(**found)


def listed_environment(run: Mapping[str, Any]) -> dict[str, str]:
    """Return where a stored run took place, each text in one line; empty if it does not say."""
    found = environment_of(run)
    return {} if "date" not in found else {plain(n): plain(v, 600) for n, v in found.items()}


def utc_of(run: Mapping[str, Any]) -> str | None:
    """Return when a stored run took place, as SARIF writes a time; None if it does not say."""
    date = environment_of(run).get("date", "")
    return f"{date[:19]}Z" if _UTC.fullmatch(date) else None
