"""What is said of a derivation that was checked: findings, numbers, assumptions, certificate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.evidence import Event, Finding, StepWitness
from dpaudit.formal.certificate import Certificate
from dpaudit.formal.decide import Decision, Truth
from dpaudit.formal.derivation import Derivation
from dpaudit.formal.deriving.obligations import Checked
from dpaudit.formal.deriving.query import Breach
from dpaudit.reference import reference

ENGINE = "formal"


def refutations(
    derivation: Derivation, checked: Sequence[Checked], broken: Breach | None
) -> tuple[tuple[Finding, ...], StepWitness | None]:
    """Return a finding for each step that is false, and the numbers of the first."""
    findings: list[Finding] = []
    witness: StepWitness | None = None
    seen: set[int] = set()
    for c in checked:
        index = c.obligation.link.index
        if c.decision.truth is not Truth.REFUTED or index in seen:
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


_SAID = {
    "defined": "has no value",
    "joins": "does not begin where the step before ended",
    "change": "begins with less than the change of the query",
    "holds": "is false",
}


def _shown(checked: Checked) -> StepWitness:
    link, decision = checked.obligation.link, checked.decision
    values = dict(decision.values or {})
    at = ", ".join(f"{name} = {number}" for name, number in values.items())
    sides = {} if checked.obligation.kind == "defined" else decision.evidence
    goal = checked.obligation.goal
    compared = ""
    if "left" in sides:
        compared = f": {_short(sides['left'])} {goal.rel_op} {_short(sides['right'])} does not hold"
    case = "" if link.case is None else f" (case {link.case!r})"
    said = _SAID[checked.obligation.kind]
    where = f" at {at}" if at else ""
    return StepWitness(
        values=values,
        left=_exact(sides.get("left")),
        right=_exact(sides.get("right")),
        event=Event(f"{link} is false", "False"),
        how=f"step {link.index}{case}, {link}, {said}{where}{compared}",
        step=link.index,
    )


def _short(text: str) -> str:
    """Write a ball as its middle; the certificate holds it in full."""
    if "±" not in text:
        return text
    middle = text.split(" ± ")[0]
    return f"{float(middle):.8g}…"


def _exact(text: str | None) -> Any:
    if text is None or "±" in text or text == "undefined":
        return text
    return Fraction(text)


def assumptions(derivation: Derivation) -> tuple[str, ...]:
    """Return what the verdict rests on, in sentences."""
    listed = [f"{name} is {kind}" for name, kind in derivation.variables.items()]
    listed += list(derivation.given)
    if derivation.neighbors is not None:
        listed += list(derivation.neighbors.assumptions())
        unproved = [way for way in derivation.chains if way not in (None, *derivation.changed)]
        for way in unproved:
            side = derivation.chains[way][0].left.text
            listed.append(
                f"{side} bounds the change of {_query(derivation)} in the case {way!r} (not proved)"
            )
        for way, moved in derivation.changed.items():
            does = ", ".join(f"{name} becomes {f.text}" for name, f in moved.items())
            listed.append(f"in the case {way!r} {does}, and nothing else changes")
    return tuple(listed)


def _query(derivation: Derivation) -> str:
    if derivation.query is None:
        return "the query"
    if isinstance(derivation.query, str):
        return derivation.query
    return reference(derivation.query)


def certificate(
    derivation: Derivation,
    checked: Sequence[Checked],
    meets: Decision,
    broken: Breach | None,
) -> Certificate:
    """Return what a checker replays: every obligation with what decided it."""
    subject = {
        "variables": dict(derivation.variables),
        "given": list(derivation.given),
        "steps": [
            {"step": link.index, "case": link.case, "left": link.left.text,
             "relation": link.relation, "right": link.right.text}
            for link in derivation.links
        ],
        "missing": list(derivation.missing),
        "query": _query(derivation) if derivation.neighbors is not None else None,
        "neighbors": None if derivation.neighbors is None else str(derivation.neighbors),
        "changes": {
            way: {name: f.text for name, f in moved.items()}
            for way, moved in derivation.changed.items()
        },
    }  # fmt: skip
    proof = {
        "given_meets": meets.to_dict(),
        "obligations": [c.to_dict() for c in checked],
        "breach": None if broken is None else broken.witness.to_dict(),
    }
    trusted = (
        "sympy's reading of the formulas, and the translation to SMT-LIB",
        "steps by the methods rational, ball, algebra, boxes and slope as computed",
    )
    return Certificate("derivation", subject, None, {}, proof, assumptions(derivation), trusted)
