"""Sensitivity analysis: bounds how far a query moves, and looks for datasets where it does."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import NOT_CHECKED, NotCheckedError, RejectedError, Work
from dpaudit.checker.sensitivity import IDEALIZED, MostMoved, bound_of, is_within
from dpaudit.evidence import Verdict
from dpaudit.formal.bounds import INFINITE, SIZE, Bound, exact, shown
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.clock import now
from dpaudit.formal.conclusion import stated, unsupported
from dpaudit.formal.description import around
from dpaudit.formal.extremal import TOLERANCE, Found, Search
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.program import Program
from dpaudit.formal.sensitivity import SensitivityReport
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Neighbors
from dpaudit.reference import reference


def measured(
    query: Callable[..., Any], neighbors: Neighbors, norm: str, claimed: Any
) -> SensitivityReport:
    """Return what is known of a query's sensitivity; see `dpaudit.sensitivity`."""
    deadline = now() + 5.0
    program: Program | None = None
    found: MostMoved | None = None
    reason = ""
    try:
        program = lift(query)
        found = _most_moved(program, neighbors, norm)
    except Unsupported as stopped:
        reason = str(stopped)
    bound = None if found is None else _expression(found.bound)
    wanted = None if claimed is None else _claimed(claimed, program)
    search = _searched(query, neighbors, norm, program, bound, wanted, deadline)
    if bound is not None and search.refuting is not None and _exceeds(search.refuting, bound):
        found, bound = None, None
        reason = "floats move further than the real numbers of the bound, which some may overflow"
    report = SensitivityReport(
        bound=bound, norm=norm,
        derivation=() if found is None else tuple(
            f"{place}: moves by at most {shown(_expression(far))}" for place, far in found.paths
        ),
        attained_by=None if search.attained is None else search.attained.pair,
        reason=reason,
        assumptions=() if found is None else (*neighbors.assumptions(), *IDEALIZED),
        parameters=search.parameters,
    )  # fmt: skip
    if wanted is not None:
        report = _judged(report, wanted, search, found)
    if program is None or found is None or bound is INFINITE:
        return report
    verified = report.verdict is Verdict.VERIFIED
    certificate = _certificate(report, query, neighbors, program, found, wanted, verified)
    return replace(report, certificate=certificate)


def _most_moved(program: Program, neighbors: Neighbors, norm: str) -> MostMoved:
    """Return how far the query may move on each path.

    Raises
    ------
    Unsupported
        Where it is not understood, or a parameter has no value.
    """
    place = program.entry.place
    if program.symbolic:
        free = ", ".join(program.symbolic)
        raise Unsupported(f"a bound for all values of {free}; give values by `partial`", place)
    work = Work(math.inf)
    try:
        written, described = stated(program, neighbors, work)
        with precisely():
            return bound_of(written, described, norm, work)
    except RejectedError as stopped:
        raise unsupported(stopped, place) from None


def _expression(text: str) -> Bound:
    """Return a bound, a formula of rational numbers, as an expression."""
    return sympy.sympify(text, rational=True)


def _certificate(
    report: SensitivityReport,
    query: Callable[..., Any],
    neighbors: Neighbors,
    program: Program,
    found: MostMoved,
    claimed: Bound | None,
    verified: bool,
) -> Certificate:
    bound = {"bound": found.bound, "norm": report.norm}
    subject = {
        "query": reference(query),
        "neighbors": str(neighbors),
        **bound,
        "claimed": _text(claimed) if verified and claimed is not None else None,
        **around(neighbors),
    }
    return Certificate(
        kind="sensitivity",
        subject=subject,
        program=to_dict(program),
        sources=program.sources,
        proof={"kind": "sensitivity", **bound, "assumptions": list(report.assumptions)},
        assumptions=report.assumptions,
    )


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
    for parameters in _assignments(program):
        search = Search(query, neighbors, norm, parameters, deadline)
        values = {sympy.Symbol(k, real=True): exact(v) for k, v in parameters.items()}
        limit = None if claimed is None else claimed.xreplace(values)
        target = None if bound in (None, INFINITE) else bound.xreplace(values)

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


def _assignments(program: Program | None) -> list[Mapping[str, Any]]:
    """Return values of the parameters that have none, at which to run the query."""
    names = () if program is None else program.symbolic
    if not names:
        return [{}]
    return [dict(zip(names, values, strict=True)) for values in _plain(len(names))]


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


def _judged(
    report: SensitivityReport, claimed: Bound, search: _Searched, found: MostMoved | None
) -> SensitivityReport:
    """Return the report with a verdict on the claimed bound."""
    if search.refuting is not None:
        pair = search.refuting
        far = "∞" if pair.distance == math.inf else f"{float(pair.distance):.6g}"
        reason = f"the query moves by {far} where {shown(claimed)} was claimed"
        return replace(
            report, verdict=Verdict.REFUTED, refuted_by=pair.pair,
            reason="; ".join(filter(None, (reason, report.reason))),
        )  # fmt: skip
    unsettled = replace(report, verdict=Verdict.INCONCLUSIVE)
    if found is None or report.bound is INFINITE:
        return unsettled
    try:
        with precisely():
            within = is_within(found.bound, _text(claimed))
    except NotCheckedError as stopped:
        return replace(unsettled, reason=stopped.what.removeprefix(NOT_CHECKED))
    if within:
        return replace(report, verdict=Verdict.VERIFIED)
    reason = f"{shown(report.bound)} <= {shown(claimed)} is not proved"
    return replace(unsettled, reason=reason)


def _text(claimed: Bound) -> str:
    """Return what is claimed as a formula of rational numbers, where it is one."""
    return str(sympy.nsimplify(claimed, rational=True))
