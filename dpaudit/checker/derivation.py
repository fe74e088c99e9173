"""Checks derivations: reads the steps anew, and proves each under the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work, fields
from dpaudit.checker.obligations import Obligation, Prover, obligations
from dpaudit.checker.points import Point
from dpaudit.checker.solver import Z3_TRUSTED
from dpaudit.checker.stated import Stated, assumptions, read_stated, unproved

_PROVED = {"step": int, "kind": str, "statement": str, "method": str}
_METHODS = ("numbers", "boxes", "solver")
SAID = {
    "defined": "its sides have values",
    "joins": "it begins where the step before ended",
    "change": "its left side bounds the query's change",
    "holds": "it holds",
}


def check(document: Document, work: Work) -> tuple[str, ...]:
    """Check the certificate of a derivation.

    Parameters
    ----------
    document : Document
    work : Work

    Returns
    -------
    tuple of str
        What was taken on trust.

    Raises
    ------
    RejectedError
        Naming the step or the field.
    """
    if document.program is not None or document.sources:
        raise RejectedError("a derivation has no `program` and no `sources`")
    stated = read_stated(document.subject)
    _validate_assumptions(stated, document.assumptions)
    fields(document.proof, {"meets": dict | None, "obligations": list}, "`proof`")
    prover = Prover(stated, work)
    meets = prover.meets(_point(document.proof["meets"], stated))
    if meets is False:
        raise RejectedError("`given` contradicts itself, so that anything would follow")
    if meets is None:
        raise NotCheckedError("not checked: that `given` can be satisfied")
    wanted = list(obligations(stated))
    for i, obligation in enumerate(wanted):
        _prove(obligation, prover, work.left() / min(3, len(wanted) - i))
    _validate_listed(document.proof["obligations"], wanted)
    trusted = [*unproved(stated), "cvc5, and the interval arithmetic of flint"]
    if prover.used_z3:
        trusted.append(Z3_TRUSTED)
    return tuple(trusted)


def _validate_assumptions(stated: Stated, found: tuple[str, ...]) -> None:
    """Refuse a certificate that lists other assumptions than those it rests on."""
    wanted = assumptions(stated)
    for sentence in wanted:
        if sentence not in found:
            raise RejectedError(f"`assumptions` lacks {sentence!r:.120}")
    for sentence in found:
        if sentence not in wanted:
            raise RejectedError(f"`assumptions` has {sentence!r:.120}, on which nothing rests")


def _validate_listed(listed: Sequence[Any], wanted: Sequence[Obligation]) -> None:
    """Refuse a proof that lists other obligations than those that the steps have."""
    if len(listed) != len(wanted):
        raise RejectedError(f"`obligations` has {len(listed)} entries, and the steps {len(wanted)}")
    for i, (entry, obligation) in enumerate(zip(listed, wanted, strict=True)):
        where = f"`obligations[{i}]`"
        fields(entry, _PROVED, where)
        step = obligation.step
        said = entry["step"], entry["kind"], entry["statement"]
        if said != (step.index, obligation.kind, str(step)):
            raise RejectedError(f"{where} is of another step, or of another kind")
        if entry["method"] not in _METHODS:
            raise RejectedError(f"`method` of {where} is {entry['method']!r:.40}, not known")


def _point(values: Any, stated: Stated) -> Point | None:
    """Return the numbers that a certificate gives for the variables, if it does."""
    if values is None:
        return None
    if set(values) != set(stated.whole):
        raise RejectedError("`meets` has not one number for each variable")
    try:
        point = {name: Fraction(text) for name, text in values.items()}
    except (TypeError, ValueError, ZeroDivisionError):
        raise RejectedError("`meets` holds what is no number") from None
    if any(point[name].denominator != 1 for name, integer in stated.whole.items() if integer):
        raise RejectedError("`meets` has a fraction for an integer")
    return point


def _prove(obligation: Obligation, prover: Prover, seconds: float) -> None:
    """Prove an obligation, or raise."""
    found = prover.decide(obligation.needs, seconds)
    if found.truth:
        return
    step, what = obligation.step, SAID[obligation.kind]
    said = f"step {step.index} ({step})"
    if found.point is not None:
        at = ", ".join(f"{name} = {value}" for name, value in found.point.items())
        raise RejectedError(f"{said}: that {what} is false{' at ' if at else ''}{at}")
    if found.denied:
        raise RejectedError(f"{said}: a solver says that it is false that {what}")
    raise NotCheckedError(f"not checked: {said}: that {what} was neither shown nor denied")
