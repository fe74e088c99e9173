"""Bounds how far a query may move, looks for datasets where it does, and judges a claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.evidence import Verdict
from dpaudit.formal.bounds import INFINITE, SIZE, ZERO, Bound, exact, larger
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.clock import now
from dpaudit.formal.decide import Decision, Truth, decide
from dpaudit.formal.description import around
from dpaudit.formal.explain import shown
from dpaudit.formal.explore import explore
from dpaudit.formal.extremal import TOLERANCE, Found, Search
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.measured import bound_of, is_finite
from dpaudit.formal.program import Program
from dpaudit.formal.relations import datasets, largest_size
from dpaudit.formal.sensitivity import SensitivityReport
from dpaudit.formal.trail import Path
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors
from dpaudit.reference import reference

IDEALIZED = (
    "arithmetic is that of real numbers (sums of n floats are off by at most about "
    "(n − 1)·2⁻⁵³·Σ|xᵢ|)",
    "the source that was read is the code that runs",
)


@dataclass(frozen=True, slots=True)
class SensitivityProof:
    """That a query moves by at most a bound, by the rules that were applied.

    Attributes
    ----------
    bound : Bound
    norm : str
    steps : tuple of walk.Step
    conditions : tuple of str
        What must hold of symbolic parameters.
    hazards : tuple of str
        What the bound leaves out: datasets on which the query raises.
    assumptions : tuple of str
    decision : Decision or None
        How the bound was compared with the claimed one.
    """

    bound: Bound
    norm: str
    steps: tuple[Any, ...]
    conditions: tuple[str, ...]
    hazards: tuple[str, ...]
    assumptions: tuple[str, ...]
    decision: Decision | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as JSON-able values."""
        return {
            "kind": "sensitivity",
            "bound": str(self.bound),
            "norm": self.norm,
            "steps": [{"rule": s.rule, "place": str(s.place), "says": s.says} for s in self.steps],
            "conditions": list(self.conditions),
            "hazards": list(self.hazards),
            "assumptions": list(self.assumptions),
            "decision": None if self.decision is None else self.decision.to_dict(),
        }


def measured(
    query: Callable[..., Any], neighbors: Neighbors, norm: str, claimed: Any
) -> SensitivityReport:
    """Return what is known of a query's sensitivity; see `dpaudit.sensitivity`."""
    deadline = now() + 5.0
    program: Program | None = None
    paths: tuple[Path, ...] = ()
    reason = ""
    try:
        program, paths = _walked(query, neighbors)
        bound, why = _bound(paths, norm)
    except Unsupported as error:
        bound, why, reason = None, "", str(error)
    wanted = None if claimed is None else _claimed(claimed, program)
    search = _searched(query, neighbors, norm, program, bound, wanted, deadline)
    proof = None if bound is None else _proof(bound, norm, paths, neighbors)
    report = _report(bound, norm, proof, search, why or reason)
    report = report if wanted is None else _judged(report, wanted, search, neighbors)
    if program is None or report.certificate is None:
        return report
    certificate = _certificate(report, query, neighbors, program, wanted)
    return replace(report, certificate=certificate)


def _certificate(
    report: SensitivityReport,
    query: Callable[..., Any],
    neighbors: Neighbors,
    program: Program,
    claimed: Bound | None,
) -> Certificate:
    subject = {
        "query": reference(query),
        "neighbors": str(neighbors),
        "norm": report.norm,
        "bound": str(report.bound),
        "claimed": None if claimed is None else str(claimed),
        **around(neighbors),
    }
    return Certificate(
        kind="sensitivity",
        subject=subject,
        program=to_dict(program),
        sources=program.sources,
        proof=report.certificate.to_dict(),
        assumptions=report.assumptions,
    )


def _walked(query: Callable[..., Any], neighbors: Neighbors) -> tuple[Program, tuple[Path, ...]]:
    from dpaudit.formal.lift import lift

    program = lift(query)
    cases = datasets(neighbors)
    return program, tuple(path for data in cases for path in explore(program, data))


def _bound(paths: tuple[Path, ...], norm: str) -> tuple[Bound, str]:
    bounds = [bound_of(path.value, norm, path.place) for path in paths if not path.raised]
    finite = [bound for bound, _ in bounds]
    return larger(ZERO, *finite), next((why for _, why in bounds if why), "")


def _proof(
    bound: Bound, norm: str, paths: tuple[Path, ...], neighbors: Neighbors
) -> SensitivityProof:
    conditions = [f"{condition} ({place})" for p in paths for condition, place in p.conditions]
    hazards = [f"{hazard.place}: {hazard.what}" for p in paths for hazard in p.hazards]
    return SensitivityProof(
        bound, norm, tuple(step for path in paths for step in path.steps),
        tuple(dict.fromkeys(conditions)), tuple(dict.fromkeys(hazards)),
        (*neighbors.assumptions(), *IDEALIZED, *dict.fromkeys(conditions)),
    )  # fmt: skip


def _claimed(claimed: Any, program: Program | None) -> Bound:
    if isinstance(claimed, str):
        names = {} if program is None else {
            name: sympy.Symbol(name, real=True) for name in program.symbolic
        }  # fmt: skip
        return sympy.nsimplify(sympy.sympify(claimed, locals={**names, "n": SIZE}), rational=True)
    if isinstance(claimed, sympy.Basic):
        return claimed.xreplace({
            symbol: SIZE if symbol.name == "n" else sympy.Symbol(symbol.name, real=True)
            for symbol in claimed.free_symbols
        })  # fmt: skip
    return exact(claimed)


@dataclass(frozen=True, slots=True)
class _Searched:
    attained: Found | None
    refuting: Found | None
    parameters: Mapping[str, Any]


def _searched(
    query: Callable[..., Any],
    neighbors: Neighbors,
    norm: str,
    program: Program | None,
    bound: Bound | None,
    claimed: Bound | None,
    deadline: float,
) -> _Searched:
    """Run the query on pairs at the ends of the domain."""
    best: _Searched = _Searched(None, None, {})
    for parameters in _assignments(program, bound, claimed):
        search = Search(query, neighbors, norm, parameters, deadline)
        values = {sympy.Symbol(k, real=True): exact(v) for k, v in parameters.items()}
        limit = None if claimed is None else claimed.xreplace(values)
        target = None if bound is None or not is_finite(bound) else bound.xreplace(values)

        def breaks(found: Found, limit: Bound | None = limit) -> bool:
            return limit is not None and _exceeds(found, limit)

        attained = refuting = None
        for found in search.found():
            if attained is None and target is not None and _reaches(found, target):
                attained = found
            if refuting is None and breaks(found):
                refuting = search.shrunk(found, breaks)
            if (attained or target is None) and (refuting or limit is None):
                break
        best = _Searched(best.attained or attained, best.refuting or refuting, parameters)
        if best.refuting is not None or claimed is None:
            break
    return best


def _assignments(
    program: Program | None, bound: Bound | None, claimed: Bound | None
) -> list[Mapping[str, Any]]:
    """Return values of the symbolic parameters at which to run the query."""
    names = () if program is None else program.symbolic
    if not names:
        return [{}]
    if claimed is None or bound is None or not is_finite(bound):
        return [dict(zip(names, values, strict=True)) for values in _plain(len(names))]
    decision = decide(bound <= claimed, timeout=2.0)
    found: list[Mapping[str, Any]] = []
    if decision.values is not None:
        found.append({name: float(decision.values.get(name, Fraction(1))) for name in names})
    return [*found, *(dict(zip(names, v, strict=True)) for v in _plain(len(names)))]


def _plain(count: int) -> list[tuple[float, ...]]:
    starts = ([0.0, 1.0], [-1.0, 1.0], [100.0, 125.0], [0.0, 100.0], [-10.0, 10.0])
    return [tuple((start * count)[:count]) for start in starts]


def _value_at(bound: Bound, found: Found) -> Fraction | float | None:
    value = bound.xreplace({SIZE: sympy.Integer(max(1, found.size))})
    if value is INFINITE:
        return math.inf
    if value.free_symbols or not value.is_number:
        return None
    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    return float(value)


def _exceeds(found: Found, limit: Bound) -> bool:
    allowed = _value_at(limit, found)
    if allowed is None or allowed == math.inf or allowed < 0:
        return False  # a negative bound is meant for other values of its symbols
    if isinstance(found.left, Exception) or isinstance(found.right, Exception):
        return False
    if found.distance == math.inf:
        return True
    # What floats alone make of it is no refutation.
    return bool(found.distance > Fraction(allowed) * (1 + TOLERANCE) + TOLERANCE)


def _reaches(found: Found, target: Bound) -> bool:
    wanted = _value_at(target, found)
    if wanted is None or wanted in (0, math.inf) or found.distance == math.inf:
        return False
    return bool(found.distance >= Fraction(wanted) * (1 - TOLERANCE))


def _report(
    bound: Bound | None, norm: str, proof: SensitivityProof | None, search: _Searched, why: str
) -> SensitivityReport:
    steps = (
        ()
        if proof is None
        else tuple(dict.fromkeys(f"{step.place}: {step.rule}: {step.says}" for step in proof.steps))
    )
    hazards = () if proof is None else proof.hazards
    return SensitivityReport(
        bound=bound, norm=norm, derivation=steps, certificate=proof,
        attained_by=None if search.attained is None else search.attained.pair,
        reason="; ".join(filter(None, (why, *hazards))),
        assumptions=() if proof is None else proof.assumptions, parameters=search.parameters,
    )  # fmt: skip


def _judged(
    report: SensitivityReport, claimed: Bound, search: _Searched, neighbors: Neighbors
) -> SensitivityReport:
    """Return the report with a verdict on the claimed bound."""
    if search.refuting is not None:
        found = search.refuting
        far = "∞" if found.distance == math.inf else f"{float(found.distance):.6g}"
        reason = f"the query moves by {far} where {shown(claimed)} was claimed"
        return replace(
            report, verdict=Verdict.REFUTED, refuted_by=found.pair,
            reason="; ".join(filter(None, (reason, report.reason))),
        )  # fmt: skip
    unsettled = replace(report, verdict=Verdict.INCONCLUSIVE)
    if report.bound is None or report.certificate is None:
        return unsettled
    if report.certificate.hazards:
        return unsettled
    if not is_finite(report.bound):
        return unsettled
    most = largest_size(neighbors)
    given = [] if most is None else [most >= SIZE]
    decision = decide(report.bound <= claimed, given, timeout=5.0)
    proof = replace(report.certificate, decision=decision)
    if decision.truth is Truth.PROVED:
        return replace(report, verdict=Verdict.VERIFIED, certificate=proof)
    reason = f"{shown(report.bound)} <= {shown(claimed)} is not proved: {decision.reason}"
    return replace(unsettled, certificate=proof, reason=reason)
