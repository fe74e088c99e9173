"""Two stored runs beside each other: what got better, and what got worse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dpaudit.report.audited import found_ids, in_words, number, status, verdict
from dpaudit.report.escape import plain
from dpaudit.report.numbers import upper
from dpaudit.selection import is_at, is_selected

# An audit that was completed says more than one that was not, whatever it says.
_STATUSES = ("INTERRUPTED", "INCOMPLETE", "UNEXPECTED", "ACCEPTED", "OK")
_VERDICTS = ("REFUTED", "INCONCLUSIVE", "NOT_REFUTED", "VERIFIED")
_NOTABLE = 1.25  # detectable epsilons differ by chance: the calls of a pair are rounded


class Way(Enum):
    """Which way an audit went."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "other"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one audit.

    Attributes
    ----------
    audit : str
    way : Way
        WORSE too where it is gone: nobody looks any more. OTHER where nothing orders the two, and
        where the new run was not asked for it.
    said : tuple of str
        What differs; empty where nothing of note does.
    """

    audit: str
    way: Way
    said: tuple[str, ...] = ()


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Compare two runs.

    Parameters
    ----------
    old, new : mapping
        As ``dpaudit run --json`` writes them.

    Returns
    -------
    list of Change
        One an audit of either run; those of the new run first, in its order.

    Notes
    -----
    An audit got worse where its status did (as expected, unexpected, not completed), where its
    verdict fell though both met the expectation, where it refutes by other kinds of violation, or
    where the violation that it would have caught grew by a quarter. Lower bounds and calls vary
    with the seed and say nothing.
    """
    before = {audit["name"]: audit for audit in old["audits"]}
    after = {audit["name"]: audit for audit in new["audits"]}
    changes = [
        _changed(before[name], audit) if name in before else _appeared(audit)
        for name, audit in after.items()
    ]
    changes += [_missing(audit, new) for name, audit in before.items() if name not in after]
    broken = {failure["file"] for failure in old.get("failures", ())}
    changes += [
        Change(plain(failure["file"]), Way.WORSE, (f"cannot be used: {plain(failure['message'])}",))
        for failure in new.get("failures", ())
        if failure["file"] not in broken
    ]
    return changes


def compare_lines(changes: list[Change]) -> list[str]:
    """Return what changed in lines, the worse first, and a count.

    Parameters
    ----------
    changes : list of Change

    Returns
    -------
    list of str
    """
    lines = [
        f"{way.value:<6} {change.audit}: {'; '.join(change.said)}"
        for way in (Way.WORSE, Way.BETTER, Way.OTHER)
        for change in changes
        if change.way is way
    ]
    counts = [(way, sum(change.way is way for change in changes)) for way in Way]
    said = ", ".join(f"{count} {way.value}" for way, count in counts if count)
    audits = "1 audit" if len(changes) == 1 else f"{len(changes)} audits"
    return [*lines, f"{audits}: {said}" if changes else "no audits"]


def _appeared(audit: Mapping[str, Any]) -> Change:
    way = Way.BETTER if audit["status"] == "OK" else Way.WORSE
    return Change(plain(audit["name"]), way, (f"new: {verdict(audit)}, {status(audit)}",))


def _missing(old: Mapping[str, Any], new: Mapping[str, Any]) -> Change:
    """Say what became of an audit that the new run does not have."""
    name = plain(old["name"])
    asked = new.get("asked")
    declared = old.get("declared_at")
    if declared is None or asked is None:
        return Change(name, Way.WORSE, ("gone",))
    file, label = declared["file"], old["name"].partition("::")[2]
    texts = [old["name"], old["mechanism"], old["expect"]]
    meant = any(is_at(path, file, label) for path in asked["paths"])
    if not (meant and is_selected(asked["selection"], texts)):
        return Change(name, Way.OTHER, ("not run: the new run was not asked for it",))
    for skipped in new.get("skipped", ()):
        if skipped["file"] == file:
            missing = " and ".join(map(plain, skipped["missing"]))
            return Change(name, Way.WORSE, (f"not run: it needs {missing}, not installed",))
    return Change(name, Way.WORSE, ("gone",))


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Change:
    steps = [*_steps(old, new)]
    said = tuple(words for _, words in steps)
    ways = [way for way, _ in steps if way is not Way.OTHER]
    way = ways[0] if ways else (Way.OTHER if steps else Way.SAME)
    return Change(plain(new["name"]), way, said)


def _steps(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[Way, str]]:
    """Yield what differs, what matters most first."""
    if old["status"] != new["status"]:
        way = _way(_STATUSES, old["status"], new["status"])
        yield way, f"{status(old)} → {status(new)}"
    if verdict(old) != verdict(new):
        way = _way(_VERDICTS, _name(old), _name(new))
        # Where the expectation says which verdict is right, the status has told already.
        settled = old["status"] != new["status"] or old["expect"] != new["expect"]
        yield Way.OTHER if settled else way, f"{verdict(old)} → {verdict(new)}"
    ids = [", ".join(found_ids(audit)) or "none" for audit in (old, new)]
    if ids[0] != ids[1]:
        yield Way.OTHER, f"found: {ids[0]} → {ids[1]}"
    elif _name(old) == _name(new) in ("NOT_REFUTED", "VERIFIED"):
        yield from _sight(old, new)
    for key, words in (("claim", "claim"), ("neighbors", "neighbors"), ("expect", "expected")):
        if old[key] != new[key]:
            yield Way.OTHER, f"{words}: {_shown(old[key], key)} → {_shown(new[key], key)}"


def _sight(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[Way, str]]:
    """Yield whether larger or smaller violations would have been caught."""
    sizes = [number(audit["report"]["detectable_epsilon"]) for audit in (old, new)]
    chances = [number(audit["report"]["detectable_probability"]) for audit in (old, new)]
    if chances[0] != chances[1] or not all(map(math.isfinite, sizes)):
        return
    before, after = sizes
    if max(sizes) > _NOTABLE * min(sizes):
        way = Way.WORSE if after > before else Way.BETTER
        shown = f"{upper(before)} → {upper(after)}"
        yield way, f"would catch ε of {shown} (at probability {chances[0]:g})"


def _shown(value: Any, key: str) -> str:
    return plain(in_words(str(value)) if key == "expect" else value)


def _way(order: tuple[str, ...], old: str, new: str) -> Way:
    if old not in order or new not in order:
        return Way.OTHER
    return Way.BETTER if order.index(new) > order.index(old) else Way.WORSE


def _name(audit: Mapping[str, Any]) -> str:
    return "" if audit.get("report") is None else str(audit["report"]["verdict"])
