"""Proves an alignment by an inductive invariant, for data of every length.

Houdini (Flanagan & Leino 2001): of all candidates those are kept that hold when a loop is reached
and that every iteration keeps, until no more fall away. What is left is an invariant whatever the
candidates were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.checker.alignment.content import Part
from dpaudit.checker.alignment.formulas import View
from dpaudit.checker.alignment.runs import Obligation, Step, TwoRuns, obligation
from dpaudit.checker.alignment.terms import Term
from dpaudit.checker.file import RejectedError
from dpaudit.checker.limits import CVC5_LINEAR
from dpaudit.formal.alignment.price_templates import Prices
from dpaudit.formal.alignment.shifts import Alignment
from dpaudit.formal.alignment.system import System
from dpaudit.formal.alignment.templates import Predicate, predicates
from dpaudit.formal.clock import SECOND, charge, now

_CHECK = 2.0  # seconds of one question
_ASKING = 9_000  # steps that a question takes in any case
_RESOURCES = SECOND // CVC5_LINEAR  # steps of the clock for one of the solver's
Kept = dict[str, list[Predicate]]


@dataclass(slots=True, eq=False)
class Prover:
    """All that one system, one relation and one claim have in common."""

    system: System
    runs: TwoRuns
    prices: Prices
    deadline: float
    _terms: dict[tuple[int, Predicate], Term] = field(default_factory=dict)
    _views: list[View] = field(default_factory=list)  # whose ids are not used again

    def asked(self, formulas: Iterable[Term]) -> tuple[bool | None, Any]:
        """Return whether formulas can hold together, None where that is open, and the solver."""
        left = self.deadline - now()
        if left <= 0:
            raise TimeoutError
        answer, solver = self.system.terms.asked(formulas, min(_CHECK, left))
        used = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
        charge(_ASKING + int(used) * _RESOURCES)
        return answer, solver

    def part(self, alignment: Alignment, kept: Kept | None = None) -> Part:
        """Return an alignment with an invariant, as a certificate holds it."""
        heads = {
            name: (head.place, [p.form for p in (kept or {}).get(name, ())])
            for name, head in self.system.execution.heads.items()
        }
        return replace(self.runs.part, heads=heads, paths=alignment.told())

    def candidates(self, alignment: Alignment) -> Kept:
        """Return candidates for the invariant of every loop."""
        relation = self.runs.part.relation
        return {
            loop: predicates(self.system, loop, relation, self.prices, alignment)
            for loop in self.system.execution.heads
        }

    def held(self, found: Iterable[Predicate], view: View) -> list[Term]:
        """Return statements as the solver takes them, under a view."""
        terms = []
        for predicate in found:
            key = id(view), predicate
            if key not in self._terms:
                self._views.append(view)
                (self._terms[key],) = self.runs.read([predicate.form], view)
            terms.append(self._terms[key])
        return terms

    def invariant(self, steps: list[Step], candidates: Kept) -> Kept:
        """Return the largest inductive part of the candidates."""
        kept = {loop: list(found) for loop, found in candidates.items()}
        changed = True
        while changed:
            changed = False
            for step in steps:
                while falling := self._falling(step, kept):
                    loop = str(step.stretch.to)
                    kept[loop] = [p for p in kept[loop] if p not in falling]
                    changed = True
        return kept

    def _falling(self, step: Step, kept: Kept) -> set[Predicate]:
        """Return candidates that a step breaks, in one of its counterexamples."""
        found = [] if step.after is None else kept[str(step.stretch.to)]
        if step.after is None or not found:
            return set()
        after = list(zip(found, self.held(found, step.after), strict=True))
        given = [*step.given, *self.held(kept.get(step.stretch.start, ()), step.before)]
        terms = self.system.terms
        answer, solver = self.asked([*given, terms.negation(terms.both(t for _, t in after))])
        if answer is None:
            asked = ((p, self.asked([*given, terms.negation(t)])[0]) for p, t in after)
            return {p for p, answer in asked if answer is not False}
        return {p for p, t in after if answer and not solver.getValue(t).getBooleanValue()}

    def proved(self, alignment: Alignment) -> tuple[Part, list[Obligation]] | None:
        """Return what proves the claim by an alignment, None where it does not."""
        self.runs.part = self.part(alignment)
        try:
            steps = list(self.runs.steps())
        except RejectedError:
            return None
        kept = self.invariant(steps, self.candidates(alignment))
        terms, obligations = self.system.terms, []
        for step in sorted(steps, key=lambda step: step.stretch.to is not None):  # ends fail first
            before = self.held(kept.get(step.stretch.start, ()), step.before)
            to = () if step.after is None else kept[str(step.stretch.to)]
            after = [] if step.after is None else self.held(to, step.after)
            made = obligation(step, before, after)
            denied = terms.negation(terms.both(goal for _, goal in made.goals))
            if self.asked([*made.given, denied])[0] is not False:
                return None
            obligations.append(made)
        return self.part(alignment, kept), obligations
