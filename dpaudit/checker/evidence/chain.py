"""The log of runs: whether each entry follows from the one before, and what other runs it shows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpaudit.checker.file import RejectedError, fields
from dpaudit.untrusted import parsed, validate_tables

_ENTRY = {"number": int, "previous": str, "kind": str, "content": dict, "hash": str}
_TABLE = """
CREATE TABLE log (
    identity TEXT NOT NULL, number INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (identity, number)
)
"""
_LOG = Path(".dpaudit") / "evidence.sqlite"


@dataclass(slots=True)
class Runs:
    """What a log knows of one source, claim and neighbors.

    Attributes
    ----------
    starts : dict of int to dict
        Options and beacon of each run, by the number of the entry that began it.
    ends : dict of int to str
        The verdict of each that ended.
    entries : list of dict
    """

    starts: dict[int, dict[str, Any]] = field(default_factory=dict)
    ends: dict[int, str] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)


def hashed(domain: str, value: object) -> str:
    """Return the SHA-256 of canonical JSON, set apart by what it is for."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(f"dpaudit evidence 1, {domain}\0{text}".encode()).hexdigest()


def known_runs(log: Sequence[Any], identity: Mapping[str, Any]) -> Runs:
    """Return the runs of a log, every entry of which follows from the one before.

    Raises
    ------
    RejectedError
        Where an entry was edited, left out, or is about something else.
    """
    runs = Runs()
    head = hashed("chain", identity)
    for number, entry in enumerate(log, 1):
        where = f"entry {number} of `log`"
        fields(entry, _ENTRY, where)
        if entry["number"] != number or entry["previous"] != head:
            raise RejectedError(f"{where} does not follow from the one before; one was left out")
        head = hashed("entry", {name: entry[name] for name in _ENTRY if name != "hash"})
        if entry["hash"] != head:
            raise RejectedError(f"{where} was edited: its hash is not that of what it says")
        _take(runs, number, entry["kind"], entry["content"], identity, where)
        runs.entries.append(entry)
    if not runs.starts:
        raise RejectedError("`log` knows no run")
    return runs


def _take(
    runs: Runs,
    number: int,
    kind: str,
    content: dict[str, Any],
    identity: Mapping[str, Any],
    where: str,
) -> None:
    if kind == "start":
        fields(content, {"identity": dict, "options": dict, "beacon": str}, where)
        if content["identity"] != identity:
            raise RejectedError(f"{where} is about something else")
        runs.starts[number] = {name: content[name] for name in ("options", "beacon")}
    elif kind == "end":
        fields(content, {"run": int, "verdict": str}, where)
        if content["run"] not in runs.starts or content["run"] in runs.ends:
            raise RejectedError(f"{where} ends no run that began")
        runs.ends[content["run"]] = content["verdict"]
    else:
        raise RejectedError(f"{where} is of the kind {kind!r:.60}, which is not known")


def judged(runs: Runs, identity: Mapping[str, Any], verdict: str) -> list[str]:
    """Return what is to be said of other runs, those of the log at hand among them.

    A refutation pays for them by its e-value. NOT REFUTED stands only where no other run refuted
    the claim, and none was dropped that was not repeated.

    Raises
    ------
    RejectedError
    """
    own = max(runs.starts)
    told = []
    if len(runs.starts) > 1:
        beacons = ", ".join(dict.fromkeys(repr(run["beacon"])[:60] for run in runs.starts.values()))
        told.append(
            f"it is run {len(runs.starts)} of this source, claim and neighbors; beacons: {beacons}"
        )
    if verdict == "NOT_REFUTED":
        _validate_others(runs, own)
    here = _at_hand(identity)
    if here is None:
        return told
    common = min(len(here.entries), len(runs.entries))
    if here.entries[:common] != runs.entries[:common]:
        return [*told, "the log of this project holds other runs of it, which are not in its log"]
    if common < len(runs.entries):
        return [*told, "the log of this project lacks entries that the certificate holds"]
    later = [n for n, end in here.ends.items() if n > own and end == "REFUTED"]
    if later and verdict == "NOT_REFUTED":
        raise RejectedError(f"run {later[0]} of this project's log refuted the claim afterwards")
    return told


def _validate_others(runs: Runs, own: int) -> None:
    for number, run in runs.starts.items():
        if number == own:
            continue
        said = f"run {number} of `log`, with the beacon {run['beacon']!r:.60},"
        if runs.ends.get(number) == "REFUTED":
            raise RejectedError(f"{said} refuted the claim: beacons were tried until one did not")
        again = [n for n, r in runs.starts.items() if n > number and r == run]
        if number not in runs.ends and not any(n == own or n in runs.ends for n in again):
            raise RejectedError(
                f"{said} never ended: what it found was dropped; repeat it with that beacon first"
            )


def _at_hand(identity: Mapping[str, Any]) -> Runs | None:
    """Return the runs of the log in or above this folder, None where there are none."""
    here = Path.cwd()
    file = next((f / _LOG for f in (here, *here.parents) if (f / _LOG).is_file()), None)
    if file is None:
        return None
    try:
        base = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=10)
        try:
            validate_tables(base, _TABLE)
            rows = base.execute(
                "SELECT entry FROM log WHERE identity = ? ORDER BY number",
                (hashed("chain", identity),),
            ).fetchall()
        finally:
            base.close()
        entries = [parsed(row[0]) for row in rows]
    except (sqlite3.Error, TypeError, ValueError):
        return None
    try:
        return known_runs(entries, identity) if entries else None
    except RejectedError as error:
        raise RejectedError(f"the log of this project was edited: {error}") from None
