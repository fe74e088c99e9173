"""Claims for all values of a mechanism's parameters: proved once, or refuted at one value."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.checker.file import IDEALIZED, SAME_CODE
from dpaudit.claims.symbolic import SymbolicClaim
from dpaudit.evidence import Budget, Evidence, ProofCheck, Verdict
from dpaudit.formal.alignment.proof import AlignmentProof
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.clock import SECOND, Limit, OutOfSteps, bounded, fresh, now, steps, wall
from dpaudit.formal.confirm import DRAWS
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.description import around
from dpaudit.formal.engine import VERIFYING, FormalEngine, late
from dpaudit.formal.exact import ExactProof, prove_exact
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.limit import OutOfTime, within
from dpaudit.formal.program import Program
from dpaudit.formal.unsupported import Unsupported
from dpaudit.reference import reference

if TYPE_CHECKING:
    from dpaudit.neighbors import Neighbors

Proof = CostProof | AlignmentProof | ExactProof
Check = Callable[[Certificate, SymbolicClaim, Any, Any], ProofCheck]
TRIED = (1.0, 0.25, 4.0)  # values at which a claim that is not proved is looked at
RESERVED = re.compile(r"n|cost|changes|returned|[a-z]+_\d+")  # the prover's own symbols
GRACE = 0.5  # seconds that a proof may take to see its deadline by itself


def verify_for_all(
    mechanism: Callable[..., Any],
    claim: SymbolicClaim,
    neighbors: Neighbors,
    *,
    timeout: float | None,
    check: Check | None = None,
) -> Evidence:
    """Prove a claim for all positive values of the parameters that it names.

    Parameters
    ----------
    mechanism : callable
        Parameters that the claim names are symbolic, whether they have a default or not; so are
        others without a value.
    claim : SymbolicClaim
    neighbors : Neighbors
    timeout : float or None
        A limit in seconds of real time, beside steps of work.
    check : callable, optional
        What asks the checker about a certificate. One that it does not accept is no proof, and the
        next way is tried.

    Returns
    -------
    Evidence
        VERIFIED with a certificate; REFUTED where the claim is false at one of a few values; else
        without a verdict.

    Raises
    ------
    ValueError
        Where the claim names what is no parameter of the mechanism.
    """
    validated(mechanism, claim)
    began = wall()
    seconds = VERIFYING if timeout is None else timeout
    limit = Limit.of(timeout, seconds)
    with fresh():
        try:
            found = within(limit, lambda: _decided(mechanism, claim, neighbors, seconds, check))
        except OutOfTime:
            found = Evidence("formal", None, late("proof", seconds, limit))
        used = steps()
    return replace(
        found,
        claim=found.claim or str(claim),
        seconds=wall() - began,
        steps=used,
        steps_budget=int(seconds * SECOND),
    )


def _decided(
    mechanism: Callable[..., Any],
    claim: SymbolicClaim,
    neighbors: Neighbors,
    seconds: float,
    check: Check | None,
) -> Evidence:
    checked: list[ProofCheck] = []

    def made(proof: Proof) -> Certificate:
        kept = _range(program, claim, neighbors, proof)
        certificate = _certificate(mechanism, claim, neighbors, program, proof, kept)
        if check is not None:
            said = check(certificate, claim, neighbors, mechanism)
            if not said.accepted:
                raise Unsupported(said.reason)
            checked.append(said)
        return certificate

    deadline = now() + seconds
    until = now() + 0.6 * seconds
    try:
        program = bounded(until - now() + GRACE, lambda: lift(mechanism, symbolic=claim.symbols))
        certificate = _proved(program, claim, neighbors, until, made)
    except (Exception, OutOfSteps) as stopped:
        reason = _reason(stopped)
        refuted = _at_values(mechanism, claim, neighbors, deadline)
        return refuted or Evidence("formal", None, reason)
    contradicted = _at_values(mechanism, claim, neighbors, deadline, values=TRIED[:1])
    if contradicted is not None:  # a witness that runs beats a proof about real numbers
        return contradicted
    return Evidence(
        "formal",
        Verdict.VERIFIED,
        certificate=certificate,
        assumptions=certificate.assumptions,
        checked=checked[0] if checked else None,
    )


def _range(program: Program, claim: SymbolicClaim, neighbors: Neighbors, proof: Proof) -> str:
    """Return for which values of the parameters floats keep the formulas of the proof."""
    from dpaudit.floats import Refused, range_of_parameters

    kind = str(proof.to_dict()["kind"])
    try:
        low, high = range_of_parameters(to_dict(program), claim, neighbors, kind)
    except Refused as refused:
        raise Unsupported(f"the proof is of real numbers, not of floats: {refused}") from None
    names = ", ".join(claim.symbols)
    return f"proved for {names} between {low:.3g} and {high:.3g}, where floats keep the formulas"


def _reason(stopped: BaseException) -> str:
    if isinstance(stopped, OutOfSteps):
        return "the steps ran out"
    if isinstance(stopped, Unsupported):
        return str(stopped)
    # A fault of ours must not end the audit, nor pass for a proof.
    return f"the prover failed ({type(stopped).__name__}: {stopped})"


def validated(mechanism: Callable[..., Any], claim: SymbolicClaim) -> None:
    """Raise ValueError where a claim names what is no parameter of the mechanism."""
    known = tuple(inspect.signature(mechanism).parameters)
    for name in claim.symbols:
        if name not in known:
            raise ValueError(
                f"the claim names `{name}`, which is no parameter of the mechanism; "
                f"it has {', '.join(known)}"
            )


def _proved(
    program: Program,
    claim: SymbolicClaim,
    neighbors: Neighbors,
    deadline: float,
    made: Callable[[Proof], Certificate],
) -> Certificate:
    """Return a certificate by the cost of the releases, by alignment, or by exact distributions."""
    place = program.entry.place
    taken = [name for name in program.symbolic if RESERVED.fullmatch(name)]
    if taken:
        raise Unsupported(f"a symbolic parameter named {taken[0]}", place)
    if not set(claim.symbols) <= set(program.symbolic):
        raise Unsupported("the claim names the data or the generator", place)
    reasons: list[str] = []

    def one_of_them() -> Certificate:
        for attempt in (_costed, _aligned, _enumerated):
            try:
                return made(attempt(program, claim, neighbors, deadline=deadline))
            except Unsupported as stopped:
                reasons.append(str(stopped))
        raise Unsupported("; ".join(dict.fromkeys(reasons)))

    return bounded(deadline - now() + GRACE, one_of_them)


def _costed(
    program: Program, claim: SymbolicClaim, neighbors: Neighbors, *, deadline: float
) -> CostProof:
    return prove_by_cost(program, claim, neighbors, deadline=deadline)  # type: ignore[arg-type]


def _enumerated(
    program: Program, claim: SymbolicClaim, neighbors: Neighbors, *, deadline: float
) -> ExactProof:
    found = prove_exact(program, claim, neighbors, deadline=deadline)
    assert isinstance(found, ExactProof)  # a claim for all values is not refuted there
    return found


def _aligned(
    program: Program, claim: SymbolicClaim, neighbors: Neighbors, *, deadline: float
) -> AlignmentProof:
    if claim.notion not in ("PureDP", "ApproxDP"):
        raise Unsupported(f"alignment proves pure and approximate privacy, not {claim.notion}")
    from dpaudit.formal.alignment.prove import prove_by_alignment

    epsilon = claim.terms[0].replace(" ", "")
    found = prove_by_alignment(program, epsilon, neighbors, deadline=deadline)
    return replace(found, claim=str(claim))


def _at_values(
    mechanism: Callable[..., Any],
    claim: SymbolicClaim,
    neighbors: Neighbors,
    deadline: float,
    values: tuple[float, ...] = TRIED,
) -> Evidence | None:
    """Return a refutation at one of a few values, None where there is none."""
    for value in values:
        given = dict.fromkeys(claim.symbols, value)
        left = deadline - now()
        if left <= 0:
            return None
        try:
            found = FormalEngine(budget=left).examine(
                _subject(functools.partial(mechanism, **given)),
                claim.at(given),
                neighbors,
                Budget(max_calls=DRAWS),
            )
        except (TypeError, ValueError, ArithmeticError):
            continue  # a parameter has no value yet, or the claim has no such parameter
        if found.verdict is Verdict.REFUTED:
            where = ", ".join(f"{name} = {value:g}" for name, value in given.items())
            return replace(found, reason=f"at {where}: {found.reason}")
    return None


def _subject(mechanism: Callable[..., Any]) -> Any:
    from dpaudit.subject import Subject

    return Subject.of(mechanism)


def _certificate(
    mechanism: Callable[..., Any],
    claim: SymbolicClaim,
    neighbors: Neighbors,
    program: Program,
    proof: Proof,
    kept: str,
) -> Certificate:
    written = proof.to_dict()
    own = [f"the parameter {name} is positive" for name in claim.symbols]
    return Certificate(
        kind=written["kind"],
        subject={
            "mechanism": reference(mechanism),
            "claim": str(claim),
            "neighbors": str(neighbors),
            **around(neighbors),
        },
        program=to_dict(program),
        sources=program.sources,
        proof=written,
        assumptions=tuple(dict.fromkeys((IDEALIZED, SAME_CODE, *own, kept, *proof.assumptions))),
    )
