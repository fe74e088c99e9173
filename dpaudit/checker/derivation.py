"""Checks derivations: reads the steps anew, and proves each under the conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.checker.ask import ask_cvc5
from dpaudit.checker.assumed import unproved, validate_assumptions
from dpaudit.checker.bounds import bounds_of
from dpaudit.checker.enclose import broken_at, holds_at, holds_on_box
from dpaudit.checker.file import Document, NotCheckedError, RejectedError, Work, fields
from dpaudit.checker.formula import (
    Condition,
    Relation,
    Term,
    compared,
    constant,
    read_condition,
    read_term,
    replaced,
    walk,
)
from dpaudit.checker.proofs import emitted_for
from dpaudit.checker.solver import Z3_TRUSTED, BeyondError, Writer, follows
from dpaudit.checker.stated import Stated, Step, read_stated

_PROVED = {
    "step": int,
    "case": str | None,
    "kind": str,
    "statement": str,
    "goal": str,
    "truth": str,
    "method": str,
    "obligation": str | None,
    "values": type(None),
    "reason": str,
    "evidence": dict,
}
_PARTS = ("defined", "joins", "change", "holds")
_METHODS = ("rational", "ball", "smt", "algebra", "boxes", "slope", "squares")
_SMOOTH = frozenset({"exp", "log", "erf", "erfc", "sinh", "cosh", "tanh", "pi"})
_FEW = 2_000


@dataclass(frozen=True, slots=True)
class Goal:
    """What a step needs: a relation, or (a term) that a side has a value."""

    step: Step
    needs: Relation | Term
    said: str


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
    validate_assumptions(stated, document.assumptions)
    _validate_proof(document.proof, stated)
    given = tuple(
        read_condition(text, stated.variables, f"`given[{i}]`")
        for i, text in enumerate(stated.given)
    )
    prover = _Prover(stated, given, work)
    prover.meets(document.proof["given_meets"])
    goals = list(_goals(stated))
    for i, goal in enumerate(goals):
        prover.prove(goal, work.left() / min(3, len(goals) - i))
    trusted = [*unproved(stated), "cvc5, and the interval arithmetic of flint"]
    if prover.used_z3:
        trusted.append(Z3_TRUSTED)
    return tuple(trusted)


def _validate_proof(proof: Mapping[str, Any], stated: Stated) -> None:
    """Refuse a proof that does not speak of these steps, or that refutes one."""
    wanted = {"given_meets": dict, "obligations": list, "breach": type(None)}
    fields(proof, wanted, "`proof`")
    held = set()
    for i, entry in enumerate(proof["obligations"]):
        where = f"`obligations[{i}]`"
        fields(entry, _PROVED, where)
        at = entry["step"]
        if not 0 <= at < len(stated.steps):
            raise RejectedError(f"{where} is of step {at}, which is none")
        step = stated.steps[at]
        if entry["case"] != step.case or entry["statement"] != str(step):
            raise RejectedError(f"{where} states another step than step {at}, {step}")
        if entry["kind"] not in _PARTS or entry["method"] not in _METHODS:
            raise RejectedError(f"{where} has a `kind` or `method` that is not known")
        if entry["truth"] != "proved":
            raise RejectedError(f"{where} is not proved: `truth` is {entry['truth']!r:.40}")
        if entry["kind"] == "holds":
            held.add(at)
    for at, step in enumerate(stated.steps):
        if at not in held:
            raise RejectedError(f"no obligation says that step {at}, {step}, holds")


def _goals(stated: Stated) -> Iterator[Goal]:
    before: Term | None = None
    for step in stated.steps:
        yield Goal(step, step.left, "its left side has a value")
        yield Goal(step, step.right, "its right side has a value")
        if step.first:
            yield from _of_change(stated, step)
        elif before is not None and before != step.left:
            joins = Relation(before, "==", step.left)
            yield Goal(step, joins, "it begins where the step before ended")
        yield Goal(step, Relation(step.left, step.sign, step.right), "it holds")
        before = step.right


def _of_change(stated: Stated, step: Step) -> Iterator[Goal]:
    moved = stated.changes.get(step.case or "")
    if moved is None or stated.query is None:
        return
    query = read_term(stated.query, stated.variables, "`query`")
    after = replaced(query, dict(moved))
    for term in (query, *moved.values(), after):
        yield Goal(step, term, "the query has a value")
    gap = Term("abs", (Term("sub", (after, query)),))
    yield Goal(step, Relation(gap, "<=", step.left), "its left side bounds the query's change")


class _Prover:
    def __init__(self, stated: Stated, given: Sequence[Condition], work: Work) -> None:
        self.stated, self.work = stated, work
        self.given = (*given, *stated.domains())
        self.whole = {name: "integer" in words for name, words in stated.variables.items()}
        self.box = bounds_of(self.given, tuple(self.whole))
        self.used_z3 = False
        self.denied = False

    def meets(self, hint: Any) -> None:
        """Refuse conditions of which nobody shows numbers that satisfy them all."""
        values = hint.get("values") if isinstance(hint, dict) else None
        if values is not None:
            point = self.point(values)
            told = [holds_at(condition, point) for condition in self.given]
            if False in told:
                raise RejectedError("`given_meets`: the numbers do not satisfy the conditions")
            if None not in told:
                return
        said = "unknown"
        try:
            writer = self.writer()
            said = ask_cvc5(writer.problem("false", native=True), min(self.work.left(), 10.0))
        except BeyondError:
            pass
        if said == "unsat":
            raise RejectedError("`given` contradicts itself, so that anything would follow")
        if said != "sat":
            raise NotCheckedError("not checked: that `given` can be satisfied")

    def point(self, values: Any) -> dict[str, Fraction]:
        """Return numbers for the variables, as the certificate gives them."""
        if not isinstance(values, dict) or set(values) != set(self.whole):
            raise RejectedError("`given_meets` has not one number for each variable")
        try:
            point = {name: Fraction(text) for name, text in values.items()}
        except (TypeError, ValueError, ZeroDivisionError):
            raise RejectedError("`given_meets` holds what is no number") from None
        if any(point[name].denominator != 1 for name, whole in self.whole.items() if whole):
            raise RejectedError("`given_meets` has a fraction for an integer")
        return point

    def writer(self) -> Writer:
        """Return a writer that knows the conditions."""
        writer = Writer(self.whole)
        for condition in self.given:
            writer.fact(writer.condition(condition))
        for need in writer.needs:
            writer.fact(need)  # where a condition holds, its sides have values
        writer.needs.clear()
        return writer

    def prove(self, goal: Goal, seconds: float) -> None:
        """Prove a goal, or raise."""
        if isinstance(goal.needs, Term) and constant(goal.needs) is not None:
            return
        if self._by_numbers(goal.needs):
            return
        smooth = any(part.op in _SMOOTH for term in _sides(goal.needs) for part in walk(term))
        tries = (self._by_boxes, self._by_solver) if smooth else (self._by_solver, self._by_boxes)
        self.denied = False
        if any(attempt(goal.needs, seconds) for attempt in tries):
            return
        said = f"step {goal.step.index} ({goal.step})"
        if isinstance(goal.needs, Relation):
            point = broken_at(goal.needs, self.given, self.whole, self.work)
            if point is not None:
                at = ", ".join(f"{name} = {value}" for name, value in point.items())
                raise RejectedError(f"{said}: that {goal.said} is false{' at ' if at else ''}{at}")
        if self.denied:
            raise RejectedError(f"{said}: a solver says that {goal.said} is false")
        raise NotCheckedError(f"not checked: {said}: that {goal.said} was neither shown nor denied")

    def _by_numbers(self, needs: Relation | Term) -> bool:
        """Decide a relation of rational numbers."""
        if isinstance(needs, Term):
            return False
        left, right = constant(needs.left), constant(needs.right)
        if left is None or right is None:
            return False
        return compared(left, needs.sign, right)

    def _by_boxes(self, needs: Relation | Term, seconds: float) -> bool:
        names = {
            part.name for term in _sides(needs) for part in walk(term) if part.op == "variable"
        }
        if not names <= self.box.keys():
            return False
        box = {name: bound for name, bound in self.box.items() if name in names}
        about = [c for c in self.given if _names(c) <= names]
        whole = frozenset(name for name, integer in self.whole.items() if integer)
        return holds_on_box(needs, box, whole, about, self.work, int(_FEW * (1 + seconds)))

    def _by_solver(self, needs: Relation | Term, seconds: float) -> bool:
        try:
            writer = self.writer()
            if isinstance(needs, Term):
                writer.term(needs)
                wanted = list(dict.fromkeys(writer.needs))
            else:
                wanted = [writer.relation(needs)]
        except BeyondError:
            return False
        for goal in wanted:
            holds, solver = follows(writer, goal, min(seconds, self.work.left()))
            if not holds:
                self.denied |= holds is False
                return False
            self.used_z3 |= solver == "z3"
            if self.work.proofs is not None and solver == "cvc5":
                problem = writer.problem(goal, native=True)
                with suppress(LookupError):
                    proof = emitted_for(goal, problem, min(seconds, self.work.left()))
                    self.work.proofs.append(proof)
        return True


def _sides(needs: Relation | Term) -> list[Term]:
    return [needs] if isinstance(needs, Term) else [needs.left, needs.right]


def _names(condition: Condition) -> set[str]:
    terms = [side for relation in condition for side in (relation.left, relation.right)]
    return {part.name for term in terms for part in walk(term) if part.op == "variable"}
