"""Proves an alignment by an inductive invariant, for data of every length.

Houdini (Flanagan & Leino 2001): of all candidates those are kept that hold when a loop is reached
and that every iteration keeps, until no more fall away. What is left is an invariant whatever the
candidates were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.relation import Relation
from dpaudit.formal.alignment.segments import START, Segment, System
from dpaudit.formal.alignment.shifts import RIGHT_ONLY, WHOLE, Alignment, admissible
from dpaudit.formal.alignment.templates import predicates
from dpaudit.formal.alignment.tworuns import (
    Terms,
    change_of,
    conjunction,
    difference,
    equal_outputs,
    exact,
    input_facts,
    moved_by,
    second,
)
from dpaudit.formal.alignment.units import Prices
from dpaudit.formal.alignment.views import Predicate, View, head_view, winner
from dpaudit.formal.clock import now
from dpaudit.formal.limit import breathe
from dpaudit.formal.solver import asked

_CHECK = 2.0  # seconds of one question


@dataclass(frozen=True, slots=True)
class Obligation:
    """A formula whose unsatisfiability is one step of the proof."""

    name: str
    smtlib: str
    result: str

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON-able values."""
        return {
            "name": self.name,
            "smtlib": self.smtlib,
            "expected": "unsat",
            "result": self.result,
        }


Proved = tuple[dict[str, list[Predicate]], list[Obligation]]


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Both runs on one segment each, from one cut to the next."""

    first: Segment
    second: Segment
    given: tuple[Any, ...]  # tests of both runs, shifts, inputs
    after: View | None  # where both reach a loop
    cost: Any


@dataclass(slots=True)
class Prover:
    """All that one system, one relation and one claim have in common."""

    system: System
    relation: Relation
    prices: Prices
    assumed: tuple[Symbol, ...]  # parameters that are positive
    deadline: float
    terms: Terms = field(default_factory=Terms)
    _heads: dict[Predicate, Any] = field(default_factory=dict)

    def checked(self, formulas: Iterable[Any]) -> tuple[Any, Any]:
        """Return the solver's answer and the solver."""
        breathe()
        left = self.deadline - now()
        if left <= 0:
            raise TimeoutError
        solver = z3.Solver()
        solver.add(*formulas)
        return asked(solver, min(_CHECK, left)), solver

    def facts(self) -> list[Any]:
        """Return what is assumed of the parameters."""
        facts = [self.terms.symbol(s) > 0 for s in self.assumed]
        length = next((s for s in self.terms.names if s.name == "n"), None)
        return facts + ([self.terms.symbol(length) >= 0] if length else [])

    # --- both runs of a segment

    def joint(self, g: Segment, h: Segment, alignment: Alignment, *, again: bool) -> Joint:
        """Return both runs: the first on `g`, the second on `h`.

        With `again` the second run's tests are part of what is given; without it (`h` is `g`) they
        are left to be proved.
        """
        terms, view = self.terms, head_view(self.terms)
        cost, moved = (view.cost, view.moved) if g.start != START else (z3.RealVal(0),) * 2
        given = [terms.decision(d) for d in g.decisions] + input_facts(terms, (g, h), self.relation)
        if again:
            given += [terms.decision(d, again=True) for d in h.decisions]
        spent = cost
        for drawn in g.draws:
            fact, price = self._shifted(g, drawn, alignment)
            given.append(fact)
            spent = spent + price
        now = moved + moved_by(terms, g)
        if self.relation.total:
            given += [now <= exact(self.relation.distance), moved >= 0]
        given += self.facts()
        after = None
        if g.to is not None and g.to == h.to:
            after = self._after(g, h, spent, now)
        return Joint(g, h, tuple(given), after, spent)

    def _shifted(self, g: Segment, drawn: Any, alignment: Alignment) -> tuple[Any, Any]:
        """Return what the shift of a draw is, and its price."""
        symbol = change_of(drawn.symbol)
        assert symbol is not None
        variable, rate = self.terms.symbol(symbol), self.prices.rates[drawn.scale]
        if alignment.winner is None:
            shift = alignment.shifts[g][drawn.symbol]
            known = shift.constant
            size = self.terms.size(Poly.of(symbol) if known is None else shift)
            price = (
                self.terms.poly(rate * abs(known))
                if known is not None
                else (self.terms.poly(rate) * size)
            )
            return variable == self.terms.poly(shift), price
        own, other = alignment.winner[drawn.symbol]
        index = self.terms.symbol(Symbol(f"%i0@{g.start}", "shared", True))
        prices = [self.terms.poly(rate * abs(p.constant or Fraction(0))) for p in (own, other)]
        chosen = z3.If(index == winner(), self.terms.poly(own), self.terms.poly(other))
        return variable == chosen, z3.If(index == winner(), *prices)

    def _after(self, g: Segment, h: Segment, cost: Any, moved: Any) -> View:
        terms = self.terms
        poly = terms.poly

        def number(symbol: Symbol) -> Any:
            if symbol in g.numbers:
                return poly(g.numbers[symbol])
            return terms.symbol(symbol)

        def change(symbol: Symbol) -> Any:
            return poly(second(h.numbers[symbol]) - g.numbers[symbol])

        def same(name: str) -> Any:
            return equal_outputs(terms, g.lists[name], h.lists[name])

        return View(number, change, same, cost, moved, poly)

    # --- the invariant

    def invariant(
        self, joints: list[Joint], candidates: dict[str, list[Predicate]]
    ) -> dict[str, list[Predicate]] | None:
        """Return the largest inductive part of the candidates; None where the solver gave up."""
        kept = {loop: list(found) for loop, found in candidates.items()}
        changed = True
        while changed:
            changed = False
            for joint in joints:
                loop = joint.first.to
                if joint.after is None or loop is None:
                    continue
                while True:
                    falling = self._falling(joint, kept, loop)
                    if falling is None:
                        return None
                    if not falling:
                        break
                    kept[loop] = [p for p in kept[loop] if p not in falling]
                    changed = True
        return kept

    def held(self, kept: dict[str, list[Predicate]], start: str) -> list[Any]:
        """Return the invariant of a cut, as the solver takes it."""
        view = head_view(self.terms)
        found = kept.get(start, [])
        for predicate in found:
            if predicate not in self._heads:
                self._heads[predicate] = predicate.build(view)
        return [self._heads[p] for p in found]

    def _falling(
        self, joint: Joint, kept: dict[str, list[Predicate]], loop: str
    ) -> list[Predicate] | None:
        """Return candidates that this step breaks, in one of its counterexamples."""
        view = joint.after
        assert view is not None
        after = [(p, p.build(view)) for p in kept[loop]]
        if not after:
            return []
        formulas = [*joint.given, *self.held(kept, joint.first.start)]
        answer, solver = self.checked([*formulas, z3.Not(conjunction([t for _, t in after]))])
        if answer == z3.unsat:
            return []
        if answer != z3.sat:
            return [p for p, t in after if self.checked([*formulas, z3.Not(t)])[0] != z3.unsat]
        model = solver.model()
        return [p for p, t in after if not z3.is_true(model.eval(t, model_completion=True))]

    # --- the proof

    def joints(self, alignment: Alignment) -> list[Joint]:
        """Return every step that both runs may take together."""
        segments = self.system.segments
        if alignment.winner is None:
            return [self.joint(g, g, alignment, again=False) for g in segments]
        return [
            self.joint(g, h, alignment, again=True)
            for g in segments
            for h in segments
            if g.start == h.start and _same_public_tests(g, h)
        ]

    def candidates(self, alignment: Alignment) -> dict[str, list[Predicate]]:
        """Return candidates for the invariant of every loop."""
        return {
            loop: predicates(self.system, loop, self.relation, self.prices, alignment)
            for loop in self.system.shapes
        }

    def proved(self, alignment: Alignment) -> Proved | None:
        """Return invariant and obligations where the alignment proves the claim, else None."""
        if not self._sound(alignment) or not self._priced():
            return None
        joints = self.joints(alignment)
        kept = self.invariant(joints, self.candidates(alignment))
        if kept is None:
            return None
        obligations = []
        for joint in joints:
            for name, goal in self._goals(joint, alignment, kept):
                formulas = [*joint.given, *self.held(kept, joint.first.start), z3.Not(goal)]
                answer, solver = self.checked(formulas)
                if answer != z3.unsat:
                    return None
                obligations.append(Obligation(name, written(solver), str(answer)))
        return kept, obligations

    def _goals(
        self, joint: Joint, alignment: Alignment, kept: dict[str, list[Predicate]]
    ) -> Iterable[tuple[str, Any]]:
        g, h = joint.first, joint.second
        title = f"{g.start} -> {g.to or 'output'} [{'; '.join(map(str, g.decisions))}]"
        if alignment.winner is None:
            moved = [d for d in h.decisions if difference(d.atom.number) != Poly({})]
            tests = [self.terms.decision(d, again=True) for d in moved]
            tests += [self.terms.poly(difference(s.number)) == 0 for s in g.agreed]
            if tests:
                yield f"same path: {title}", conjunction(tests)
        elif _mismatched(g, h) or g.agreed or h.agreed:
            yield f"no other path: {title}", z3.BoolVal(False)
            return
        for drawn in g.draws:
            if drawn.family in RIGHT_ONLY:
                symbol = change_of(drawn.symbol)
                assert symbol is not None
                yield f"noise stays in its range: {title}", self.terms.symbol(symbol) >= 0
        if joint.after is not None and g.to is not None:
            held = [p.build(joint.after) for p in kept[g.to]]
            yield f"invariant: {title}", conjunction(held)
        if g.to is None:
            yield from self._end(joint, alignment, title)

    def _end(self, joint: Joint, alignment: Alignment, title: str) -> Iterable[tuple[str, Any]]:
        g, h = joint.first, joint.second
        paid = joint.cost <= self.terms.poly(self.prices.claim)
        same = equal_outputs(self.terms, g.output, h.output)
        if alignment.winner is None:
            yield f"same output: {title}", same
            yield f"cost: {title}", paid
            return
        own = self.terms.poly(g.output) == winner()
        yield f"same output: {title}", z3.Implies(own, same)
        yield f"cost: {title}", z3.Implies(own, paid)

    def _priced(self) -> bool:
        """Whether every shift costs something, whatever the parameters are."""
        rates = [self.terms.poly(rate) > 0 for rate in self.prices.rates.values()]
        return bool(self.checked([*self.facts(), z3.Not(conjunction(rates))])[0] == z3.unsat)

    def _sound(self, alignment: Alignment) -> bool:
        """Whether every shift depends on nothing that it must not depend on."""
        if alignment.winner is not None:
            whole = {d.symbol for g in self.system.segments for d in g.draws if d.family in WHOLE}
            return all(
                p.constant is not None and (p.integer or symbol not in whole)
                for symbol, both in alignment.winner.items()
                for p in both
            ) and all(
                isinstance(g.output, Poly) and g.output.integer
                for g in self.system.segments
                if g.to is None
            )
        return all(
            admissible(alignment.shifts[g][d.symbol], d, g)
            for g in self.system.segments
            for d in g.draws
        )


def written(solver: Any) -> str:
    """Return what a solver was asked, in SMT-LIB."""
    return "(set-logic ALL)\n" + str(solver.to_smt2())


def _mismatched(g: Segment, h: Segment) -> bool:
    """Whether the runs part: other draws, another loop, or only one of them ends."""
    draws = [(d.symbol, d.family, d.scale) for d in g.draws]
    return (
        draws != [(d.symbol, d.family, d.scale) for d in h.draws]
        or g.to != h.to
        or g.raised != h.raised
    )


def _same_public_tests(g: Segment, h: Segment) -> bool:
    """Whether no test that is the same in both runs comes out differently."""
    public = {d.atom: d.truth for d in g.decisions if difference(d.atom.number) == Poly({})}
    return all(public.get(d.atom, d.truth) == d.truth for d in h.decisions)
