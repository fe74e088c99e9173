"""Reports as an audit could return them, for tests of what is made of reports."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dpaudit.claims import PureDP
from dpaudit.collect import CollectedAudit
from dpaudit.declare import Audit
from dpaudit.evidence import (
    Counts,
    Detectable,
    Event,
    Evidence,
    Finding,
    PairEvidence,
    Verdict,
    Witness,
)
from dpaudit.neighbors import AddRemove, Real
from dpaudit.outcome import Outcome, exit_code, run_to_dict
from dpaudit.sightings import Bins, CellCounts, Sightings
from dpaudit.verdict import Report

TRAIL = ((100, 0.5), (50_000, -1.0), (200_000, 2.5))
SEEN = Sightings(
    left="[3, 3]",
    right="[3]",
    event="output > 1.5",
    bins=Bins("output", (0.0, 1.5, 3.0), (), (100, 900), (990, 10), (0, 900), (0, 10), 1000, 1000),
    cells=CellCounts((100, 900), (990, 10), ((0, 1), (1, 0)), 0.25),
)


def witness(**changes: Any) -> Witness:
    """Return a witness against a count without noise worth its name."""
    values: dict[str, Any] = {
        "left": np.array([3.0, 3.0]),
        "right": np.array([3.0]),
        "event": Event("output > 1.5", "output > 1.5"),
        "counts": Counts(900, 1_000, 1, 1_000),
        "how": "the last of 2 records is removed",
        "mechanism": "shop.release:count",
        "claim": PureDP(1.0),
        "epsilon": 4.5678,
        "confidence": 0.99,
    }
    return Witness(**{**values, **changes})


def finding(**changes: Any) -> Finding:
    """Return an error with a line."""
    values: dict[str, Any] = {
        "id": "DPA103",
        "level": "error",
        "message": "the scale of the noise is computed from the data",
        "also": ("DPA105",),
        "file": "shop/release.py",
        "line": 12,
        "related": (("shop/release.py", 13, "noise"),),
        "pair": (np.array([3.0, 3.0]), np.array([3.0])),
    }
    return Finding(**{**values, **changes})


def evidence(verdict: Verdict | None, **changes: Any) -> Evidence:
    """Return an engine's evidence."""
    values: dict[str, Any] = {
        "engine": "statistical",
        "verdict": verdict,
        "log_e_value": 2.5,
        "calls": 200_000,
        "pairs_tried": 14,
        "seconds": 3.2,
        "alpha_spent": 1e-6,
        "pairs": (PairEvidence("last removed", 0.5, 2.5, 200_000),),
    }
    return Evidence(**{**values, **changes})


def report(*all_evidence: Evidence, **changes: Any) -> Report:
    """Return a report of evidence."""
    values: dict[str, Any] = {
        "mechanism": "shop.release:count",
        "claim": PureDP(1.0),
        "neighbors": "AddRemove(Real(0, 100))",
        "assumptions": ("every record lies in [0, 100] (enforced by the caller)",),
        "file": "shop/release.py",
        "line": 10,
        "seed": 7,
    }
    return Report(evidence=all_evidence, **{**values, **changes})


def refuted(**changes: Any) -> Report:
    """Return a report that refutes, with a finding and a witness."""
    values: dict[str, Any] = {
        "findings": (finding(),),
        "witness": witness(),
        "epsilon": 4.5678,
        "confidence": 0.999999,
        "log_e_value": 40.0,
    }
    return report(evidence(Verdict.REFUTED, **{**values, **changes}))


def not_refuted(**changes: Any) -> Report:
    """Return a report that does not refute."""
    values = {"detectable_epsilon": 1.3051, **changes}
    return report(evidence(Verdict.NOT_REFUTED, **values))


ROWS = (
    Detectable(0.2, 1.21, 1.32, 1.1, 1.15),
    Detectable(0.1, 1.3, 1.41, 1.12, 1.2),
    Detectable(0.001, None, None, 2.5, None),
)


def inconclusive(reason: str = "the state of the generator is shared") -> Report:
    """Return a report without an answer."""
    return report(evidence(Verdict.INCONCLUSIVE, reason=reason))


def outcomes_of(*audits: tuple[str, Report | None, str], error: str = "") -> list[Outcome]:
    """Return outcomes of (name, report, expectation)."""
    outcomes = []
    for name, made, expect in audits:
        declared = Audit("shop.release:count", PureDP(1.0), AddRemove(Real(0, 100)), expect=expect)
        said = "" if made is not None else error or "the worker died"
        outcomes.append(Outcome(CollectedAudit(name, declared), made, said, options={"seed": 7}))
    return outcomes


def run_of(*audits: tuple[str, Report | None, str], failures: Any = (), error: str = "") -> Any:
    """Return what `dpaudit run --json` writes of (name, report, expectation)."""
    outcomes = outcomes_of(*audits, error=error)
    return json.loads(json.dumps(run_to_dict(outcomes, failures, exit_code(outcomes))))
