"""The report on a derivation that was checked: findings, numbers, certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.derivation import SAID
from dpaudit.checker.formula import Relation, Term
from dpaudit.checker.obligations import Decision, Obligation
from dpaudit.checker.points import Point, side_at
from dpaudit.checker.stated import assumptions
from dpaudit.evidence import Event, Finding, StepWitness
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.deriving.query import Breach

ENGINE = "formal"


@dataclass(frozen=True, slots=True)
class Checked:
    """An obligation and what became of it."""

    obligation: Obligation
    decision: Decision

    @property
    def said(self) -> str:
        """What was to be shown, as the end of a sentence."""
        return SAID[self.obligation.kind]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values."""
        step, kind = self.obligation.step, self.obligation.kind
        said = {"step": step.index, "kind": kind, "statement": str(step)}
        return {**said, "method": self.decision.method}


def refutations(
    derivation: Derivation, checked: Sequence[Checked], broken: Breach | None
) -> tuple[tuple[Finding, ...], StepWitness | None]:
    """Return a finding for each step that is false, and the numbers of the first."""
    findings: list[Finding] = []
    witness: StepWitness | None = None
    seen: set[int] = set()
    for c in checked:
        index = c.obligation.step.index
        if c.decision.truth is not False or index in seen:
            continue
        seen.add(index)
        shown = _shown(c)
        witness = witness or shown
        findings.append(_finding(derivation, shown.how))
    if broken is not None:
        witness = broken.witness
        findings.append(_finding(derivation, broken.witness.how))
    findings += [
        _finding(derivation, f"the case {way!r} is missing: {derivation.neighbors} has it too")
        for way in derivation.missing
    ]
    return tuple(findings), witness


def _finding(derivation: Derivation, message: str) -> Finding:
    return Finding(
        "DPA113",
        "error",
        message,
        file=derivation.file,
        line=derivation.line,
        engine=ENGINE,
    )


_FALSE = {
    "defined": "has no value",
    "joins": "does not begin where the step before ended",
    "change": "begins with less than the change of the query",
    "holds": "is false",
}


def _shown(checked: Checked) -> StepWitness:
    step, needs = checked.obligation.step, checked.obligation.needs
    point = checked.decision.point or {}
    at = ", ".join(f"{name} = {number}" for name, number in point.items())
    left = right = None
    compared = ""
    if isinstance(needs, Relation):
        left, right = (_side(side, point) for side in (needs.left, needs.right))
        compared = f": {_short(left)} {needs.sign} {_short(right)} does not hold"
    case = "" if step.case is None else f" (case {step.case!r})"
    where = f" at {at}" if at else ""
    return StepWitness(
        values=point,
        left=left,
        right=right,
        event=Event(f"{step} is false", "False"),
        how=f"step {step.index}{case}, {step}, {_FALSE[checked.obligation.kind]}{where}{compared}",
        step=step.index,
    )


def _side(term: Term, point: Point) -> Any:
    """Return a value: a rational number, or a ball as ``middle ± radius`` (rounds outward)."""
    value = side_at(term, point)
    if isinstance(value, Fraction):
        return value
    middle, radius, exponent = value.low.union(value.high).mid_rad_10exp(20)
    return f"{middle}e{exponent} ± {radius}e{exponent}"


def _short(value: Any) -> str:
    """Write a ball as its middle; the witness holds it in full."""
    if isinstance(value, Fraction):
        return str(value)
    return f"{float(value.split(' ± ')[0]):.8g}…"


def certificate(
    derivation: Derivation, checked: Sequence[Checked], meets: Point | None
) -> Certificate:
    """Return what a checker proves anew: the steps, and what each of them needs."""
    proof = {
        "meets": None if meets is None else {name: str(value) for name, value in meets.items()},
        "obligations": [c.to_dict() for c in checked],
    }
    stated = derivation.stated
    return Certificate("derivation", stated.to_dict(), None, {}, proof, assumptions(stated))
