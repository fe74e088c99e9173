"""A report as values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.evidence import Evidence, Finding, Repair, Witness
from dpaudit.report.curves import claim_curves
from dpaudit.report.excerpt import excerpt
from dpaudit.report.paths import local, shown
from dpaudit.sightings import Sightings, Trail

if TYPE_CHECKING:
    from dpaudit.verdict import Report

SCHEMA_VERSION = 1
_DEEPEST = 20
_POINTS = 64  # of a trail


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
        ``schema_version``.
    """
    from dpaudit.report.text import sentence

    return {
        "schema_version": SCHEMA_VERSION,
        "mechanism": local(report.mechanism),
        "file": shown(report.file),
        "line": report.line,
        "excerpt": excerpt(report.file, report.line),
        "source_hash": report.source_hash,
        "claim": None if report.claim is None else jsonable(report.claim.to_dict()),
        "claim_text": None if report.claim is None else str(report.claim),
        "claim_curves": None if report.claim is None else claim_curves(report.claim),
        "neighbors": report.neighbors,
        "assumptions": [local(text) for text in report.assumptions],
        "verdict": report.verdict.name,
        "sentence": local(sentence(report)),
        "reason": local(report.reason),
        "contradiction": report.contradiction,
        "completed": report.completed,
        "findings": [finding_to_dict(finding) for finding in report.findings],
        "witness": None if report.witness is None else report.witness.to_dict(),
        "epsilon": jsonable(report.epsilon),
        "parameter_bound": jsonable(report.parameter_bound),
        "confidence": jsonable(report.confidence),
        "detectable_epsilon": jsonable(report.detectable_epsilon),
        "detectable_probability": jsonable(report.detectable_probability),
        "calls": report.calls,
        "pairs_tried": report.pairs_tried,
        "seconds": jsonable(report.seconds),
        "alpha": jsonable(report.alpha),
        "alpha_spent": jsonable(report.alpha_spent),
        "seed": report.seed,
        "evidence": [evidence_to_dict(evidence) for evidence in report.evidence],
        "certificate": _certificate(report.certificate),
        "checked": report.checked,
        "step": report.step,
        "repair": _repair(report.repair),
    }


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
    plain = (
        "engine",
        "reason",
        "log_e_value",
        "epsilon",
        "parameter_bound",
        "confidence",
        "detectable_epsilon",
        "detectable_probability",
        "calls",
        "pairs_tried",
        "seconds",
        "alpha_spent",
        "steps",
        "steps_budget",
        "claim",
        "source_hash",
        "seed",
        "notes",
        "completed",
        "replay",
    )
    return {
        "verdict": None if evidence.verdict is None else evidence.verdict.name,
        **{name: jsonable(getattr(evidence, name)) for name in plain},
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
