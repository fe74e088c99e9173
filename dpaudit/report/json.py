"""A report as values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Evidence, Finding, Repair, Witness
from dpaudit.report.excerpt import excerpt
from dpaudit.report.paths import local, shown
from dpaudit.report.provenance import of_mechanism
from dpaudit.sightings import Sightings, Trail
from dpaudit.spared import spared

if TYPE_CHECKING:
    from dpaudit.verdict import Report

SCHEMA_VERSION = 1
_DEEPEST = 20
_POINTS = 64  # of a trail
_Part = tuple[Callable[[], Any], Any]  # how it is made, and what stands there where that fails


def report_to_dict(report: Report) -> dict[str, Any]:
    """Return a report as JSON-able values.

    Parameters
    ----------
    report : Report

    Returns
    -------
    dict
        Numbers that JSON lacks are the strings ``"inf"``, ``"-inf"`` and ``"nan"``; files are
        relative to the root of the repository. Fields are only ever added within a
        ``schema_version``. Where a part cannot be made, ``not_made`` says why.
    """
    from dpaudit.report.curves import claim_curves  # loads NumPy
    from dpaudit.report.family import row_to_dict
    from dpaudit.report.next_steps import next_steps
    from dpaudit.report.text import sentence

    claim, file, line = report.claim, report.file, report.line
    made: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "source_hash": report.source_hash,
        "neighbors": report.neighbors,
        "verdict": report.verdict.name,
        "contradiction": report.contradiction,
        "completed": report.completed,
        "calls": report.calls,
        "pairs_tried": report.pairs_tried,
        "pairs_sampled": report.pairs_sampled,
        "seed": report.seed,
        "line": line,
        "checked": report.checked,
        "step": report.step,
        **{name: jsonable(getattr(report, name)) for name in _NUMBERS},
    }
    parts: dict[str, _Part] = {
        "mechanism": (lambda: local(report.mechanism), report.mechanism),
        "file": (lambda: shown(file), None),
        "excerpt": (lambda: excerpt(file, line), None),
        "claim": (lambda: None if claim is None else jsonable(claim.to_dict()), None),
        "claim_text": (lambda: None if claim is None else str(claim), None),
        "claim_curves": (lambda: None if claim is None else claim_curves(claim), None),
        "next": (lambda: [local(step) for step in next_steps(report, command=True)], []),
        "assumptions": (lambda: [local(text) for text in report.assumptions], []),
        "sentence": (lambda: local(sentence(report)), str(report.verdict)),
        "reason": (lambda: local(report.reason), report.reason),
        "witness": (lambda: None if report.witness is None else report.witness.to_dict(), None),
        "certificate": (lambda: _certificate(report.certificate), None),
        "repair": (lambda: _repair(report.repair), None),
        "provenance": (lambda: of_mechanism(file), None),
        "detectable": (lambda: [_fields(row) for row in report.detectable], []),
        "settings": (lambda: [row_to_dict(row) for row in report.rows], []),
    }
    failures: list[str] = []
    for name, (make, otherwise) in parts.items():
        made[name] = spared(f"`{name}` of the report", make, failures, otherwise)
    made["findings"] = _each(finding_to_dict, report.findings, _bare_finding, failures)
    made["evidence"] = _each(evidence_to_dict, report.evidence, _bare_evidence, failures)
    return {**made, "not_made": failures}


def bare_report(report: Report) -> dict[str, Any]:
    """Return the verdict of a report, and what needs no rendering.

    Parameters
    ----------
    report : Report
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": report.verdict.name,
        "completed": report.completed,
        "checked": report.checked,
        "epsilon": jsonable(report.epsilon),
        "calls": report.calls,
        "seconds": jsonable(report.seconds),
        "findings": [_bare_finding(finding) for finding in report.findings],
        "evidence": [],
        "not_made": [],
    }


_NUMBERS = (
    "epsilon", "parameter_bound", "confidence", "detectable_epsilon", "detectable_probability",
    "seconds", "alpha", "alpha_spent",
)  # fmt: skip


def _each(
    write: Callable[[Any], Any],
    values: Sequence[Any],
    otherwise: Callable[[Any], Any],
    failures: list[str],
) -> list[Any]:
    """Return each value as JSON-able ones, in fewer words where that fails."""
    found = []
    for value in values:
        what = f"`{type(value).__name__.lower()}` of the report"
        made = spared(what, partial(write, value), failures, None)
        found.append(otherwise(value) if made is None else made)
    return found


def _bare_finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "also": list(finding.also),
        "level": finding.level,
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "excerpt": None,
        "related": [],
        "engine": finding.engine,
        "pair": None,
    }


def _bare_evidence(evidence: Evidence) -> dict[str, Any]:
    left_out: dict[str, Any] = {"trail": [], "sightings": None, "nights": None, "checked": None}
    return {**_plain_evidence(evidence), "pairs": [], **left_out}


def _repair(repair: Repair | None) -> dict[str, Any] | None:
    if repair is None:
        return None
    return {
        "file": shown(repair.file),
        "lines": list(repair.lines),
        "what": repair.what,
        "noise": jsonable(repair.noise),
        "scope": repair.scope,
        "diff": repair.diff,
    }


def evidence_to_dict(evidence: Evidence) -> dict[str, Any]:
    """Return one engine's evidence as JSON-able values; its findings stand in the report.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    dict
    """
    return {
        **_plain_evidence(evidence),
        "reason": local(evidence.reason),
        "notes": [local(note) for note in evidence.notes],
        "pairs": [
            {
                "how": pair.how,
                "weight": jsonable(pair.weight),
                "log_e_value": jsonable(pair.log_e_value),
                "calls": pair.calls,
            }
            for pair in evidence.pairs
        ],
        "trail": _trail(evidence.trail),
        "sightings": _sightings(evidence.sightings),
        "nights": _fields(evidence.nights),
        "checked": _fields(evidence.checked),
    }


def _plain_evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "verdict": None if evidence.verdict is None else evidence.verdict.name,
        **{name: jsonable(getattr(evidence, name)) for name in _PLAIN},
    }


_PLAIN = (
    "engine", "reason", "log_e_value", "epsilon", "parameter_bound", "confidence",
    "detectable_epsilon", "detectable_probability", "calls", "pairs_tried", "pairs_sampled",
    "seconds", "alpha_spent", "steps", "steps_budget", "claim", "source_hash", "seed", "notes",
    "completed", "replay",
)  # fmt: skip


def _trail(trail: Trail) -> list[list[Any]]:
    """Return a trail of few points, the last one among them."""
    step = -(-len(trail) // _POINTS) or 1
    kept = trail[(len(trail) - 1) % step :: step]
    return [[int(calls), jsonable(float(f"{nats:.6g}"))] for calls, nats in kept]


def _sightings(seen: Sightings | None) -> dict[str, Any] | None:
    return None if seen is None else dict(_fields(seen))


def _fields(value: Any) -> Any:
    """Return a dataclass as JSON-able values, without copying what it holds first."""
    if not is_dataclass(value):
        return jsonable(value)
    return {field.name: _fields(getattr(value, field.name)) for field in fields(value)}


def finding_to_dict(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON-able values.

    Parameters
    ----------
    finding : Finding

    Returns
    -------
    dict
    """
    return {
        "id": finding.id,
        "also": list(finding.also),
        "level": finding.level,
        "message": local(finding.message),
        "file": shown(finding.file),
        "line": finding.line,
        "excerpt": excerpt(finding.file, finding.line, finding.related),
        "related": [
            {"file": shown(file), "line": line, "what": local(what)}
            for file, line, what in finding.related
        ],
        "engine": finding.engine,
        "pair": None if finding.pair is None else [dataset_to_dict(d) for d in finding.pair],
    }


def witness_to_dict(witness: Witness) -> dict[str, Any]:
    """Return a witness as JSON-able values.

    Parameters
    ----------
    witness : Witness

    Returns
    -------
    dict
    """
    counts = witness.counts
    return {
        "left": dataset_to_dict(witness.left),
        "right": dataset_to_dict(witness.right),
        "how": witness.how,
        "event": {"words": witness.event.words, "source": witness.event.source},
        "counts": None
        if counts is None
        else {
            "left": counts.left,
            "left_calls": counts.left_calls,
            "right": counts.right,
            "right_calls": counts.right_calls,
        },
        "mechanism": local(witness.mechanism),
        "file": shown(witness.file),
        "claim": str(witness.claim),
        "epsilon": jsonable(witness.epsilon),
        "confidence": jsonable(witness.confidence),
        "reproducible": witness.reproducible,
        "takes_rng": witness.takes_rng,
        "vectorized": witness.vectorized,
        "own_generators": witness.own_generators,
        "first_calls": witness.first_calls,
        "observed": witness.observed,
        "observes": sorted(witness.observes),
        "source": witness.source,
    }


def dataset_to_dict(dataset: Any) -> dict[str, str]:
    """Return a dataset in words, and as the Python expression that rebuilds it.

    Parameters
    ----------
    dataset : Any

    Returns
    -------
    dict
    """
    from dpaudit.neighbors import dataset_to_source, dataset_to_text

    return {"text": dataset_to_text(dataset), "source": dataset_to_source(dataset)}


def jsonable(value: Any, depth: int = 0) -> Any:
    """Return a value with every part that JSON lacks put into one it has.

    Parameters
    ----------
    value : Any
    depth : int
        Levels above this value; parts that are too deep become text.

    Returns
    -------
    Any
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(float(value))
    if depth >= _DEEPEST:
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): jsonable(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(entry, depth + 1) for entry in value]
    if hasattr(value, "tolist"):
        return jsonable(value.tolist(), depth + 1)
    return str(value)


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _certificate(certificate: Any) -> Any:
    if certificate is None:
        return None
    return jsonable(certificate.to_dict() if hasattr(certificate, "to_dict") else str(certificate))
