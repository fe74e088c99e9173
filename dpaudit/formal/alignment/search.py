"""Searches for an alignment that can be proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import z3

from dpaudit.formal.alignment.invariant import Obligation, Prover
from dpaudit.formal.alignment.poly import Poly, Symbol
from dpaudit.formal.alignment.segments import START, Segment, numbers_in
from dpaudit.formal.alignment.shifts import Alignment, combinations, winner_alignments
from dpaudit.formal.alignment.tworuns import (
    change_of,
    conjunction,
    difference,
    equal_outputs,
    second,
)
from dpaudit.formal.alignment.views import Predicate, relevant
from dpaudit.formal.limit import breathe

_TRIED = 150  # local choices looked at for each segment
_PRODUCTS = 24  # ways to put them together

Choice = dict[Symbol, Poly]
Values = dict[Symbol, Fraction]
Found = tuple[Alignment, dict[str, list[Predicate]], list[Obligation]]


def kept_on(g: Segment, choice: Choice, values: Values) -> bool:
    """Whether shifts keep the path and what it appends, on these values of everything else."""
    known = dict(values)
    for drawn in g.draws:
        moved = change_of(drawn.symbol)
        assert moved is not None
        known[moved] = number_at(choice[drawn.symbol], known)
    for decision in g.decisions:
        value = number_at(second(decision.atom.number), known)
        truth = value >= 0 if decision.atom.relation == ">=" else value == 0
        if truth is not decision.truth:
            return False
    appended = [p for items in g.lists.values() for p in numbers_in(items)]
    return all(number_at(difference(p), known) == 0 for p in appended)


def number_at(poly: Poly, values: Values) -> Fraction:
    """Return a polynomial's value; unknowns that were not met are 0."""
    known = poly.substitute(lambda s: Poly.of(values.get(s, Fraction(0)))).constant
    assert known is not None
    return known


@dataclass(slots=True)
class Search:
    """A search for one relation.

    Attributes
    ----------
    prover : Prover
    wide : int
        How many choices to remember for each segment.
    """

    prover: Prover
    wide: int = 1

    def run(self) -> Found | None:
        """Return a proved alignment with its invariant and obligations, None where none is."""
        for alignment in self._alignments():
            proved = self.prover.proved(alignment)
            if proved is not None:
                return alignment, *proved
        return None

    def _alignments(self) -> Iterator[Alignment]:
        yield from winner_alignments(self.prover.system, self.prover.relation)
        yield from self._lockstep()

    def _lockstep(self) -> Iterator[Alignment]:
        """Yield alignments whose cells are the paths."""
        segments = self.prover.system.segments
        first = [g for g in segments if g.start == START]
        later = [g for g in segments if g.start != START and g.draws]
        opening = [list(islice(combinations(g, self.prover.relation), 12)) for g in first]
        for choice in islice(product(*opening), 60):
            shifts: dict[Segment, Choice] = dict(zip(first, choice, strict=True))
            at_head = self._at_heads(shifts)
            if at_head is None:
                continue
            local = [self._local(g, at_head) for g in later]
            rest: dict[Segment, Choice] = {
                g: {} for g in segments if g.start != START and not g.draws
            }
            if all(self._locally(g, {}, at_head, []) for g in rest):
                for ranks in islice(_by_total([len(o) for o in local]), _PRODUCTS):
                    chosen = {g: o[r] for g, o, r in zip(later, local, ranks, strict=True)}
                    yield Alignment({**shifts, **rest, **chosen})

    def _at_heads(self, opening: dict[Segment, Choice]) -> dict[str, list[Predicate]] | None:
        """Return the candidates that survive until noise is drawn."""
        segments = self.prover.system.segments
        still = {g: {d.symbol: Poly({}) for d in g.draws} for g in segments}
        alignment = Alignment({**still, **opening})
        known = [g for g in segments if g in opening or not g.draws]
        joints = [self.prover.joint(g, g, alignment, again=False) for g in known]
        candidates = self.prover.candidates(alignment)
        reached = {g.to for g in known}
        for loop in candidates:
            if loop not in reached:
                candidates[loop] = []
        held = self.prover.invariant(joints, candidates)
        # Bounds on counters would make the last iterations look impossible.
        return held and {loop: [p for p in found if p.between] for loop, found in held.items()}

    def _local(self, g: Segment, held: dict[str, list[Predicate]]) -> list[Choice]:
        """Return shifts that keep the path and what it releases, the best first."""
        found: list[tuple[int, int, Choice]] = []
        against: list[Values] = []
        for rank, choice in enumerate(islice(combinations(g, self.prover.relation), _TRIED)):
            if self._endless(g, choice) or any(not kept_on(g, choice, v) for v in against):
                continue
            broken = self._locally(g, choice, held, against)
            if broken:
                found.append((broken, rank, choice))
            if len(found) >= 3 * self.wide or (broken == 1 and len(found) >= self.wide):
                break
        return [c for _, _, c in sorted(found, key=lambda f: f[:2])][: self.wide]

    def _endless(self, g: Segment, choice: Choice) -> bool:
        """Whether an iteration costs something, and nothing counts how often."""
        relation = self.prover.relation
        if g.start != g.to or all(shift == Poly({}) for shift in choice.values()):
            return False
        if relation.total:
            return any(shift.terms.get(()) for shift in choice.values())
        matter = relevant(self.prover.system)
        steps = [
            (value - Poly.of(s)).constant
            for s, value in g.numbers.items()
            if s.integer and s.kind == "state" and s in matter
        ]
        return not any(steps)

    def _locally(
        self,
        g: Segment,
        choice: Choice,
        held: dict[str, list[Predicate]],
        against: list[Values],
    ) -> int:
        """Return 0 where the path or a release is lost, else 1 + candidates that are broken.

        The values on which it is lost are added to `against`.
        """
        prover = self.prover
        joint = prover.joint(g, g, Alignment({g: choice}), again=False)
        formulas = [*joint.given, *prover.held(held, g.start)]
        keeps = [prover.terms.decision(d, again=True) for d in g.decisions]
        keeps += [equal_outputs(prover.terms, items, items) for items in g.lists.values()]
        if g.to is None:
            keeps.append(equal_outputs(prover.terms, g.output, g.output))
        if not held.get(g.start):
            return 1
        answer, solver = prover.checked([*formulas, z3.Not(conjunction(keeps))])
        if answer != z3.unsat:
            if answer == z3.sat:
                against.append(prover.terms.values(solver.model()))
            return 0
        if joint.after is None or g.to is None:
            return 1
        after = [p.build(joint.after) for p in held[g.to]]
        answer, solver = prover.checked([*formulas, z3.Not(conjunction(after))])
        if answer != z3.sat:
            return 1
        model = solver.model()
        return 1 + sum(not z3.is_true(model.eval(t, model_completion=True)) for t in after)


def _by_total(lengths: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield one index for each list, the smallest sums first."""

    def total(indices: tuple[int, ...]) -> int:
        breathe()
        return sum(indices)

    yield from sorted(product(*map(range, lengths)), key=total)
