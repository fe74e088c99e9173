"""Searches for an alignment that can be proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any

from dpaudit.checker.alignment.content import Part
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.alignment.runs import Obligation
from dpaudit.checker.alignment.state import START
from dpaudit.checker.alignment.terms import Term, unknowns
from dpaudit.formal.alignment.invariant import Kept, Prover
from dpaudit.formal.alignment.shifts import (
    Alignment,
    Choice,
    combinations,
    still,
)
from dpaudit.formal.alignment.system import Path

_TRIED = 150  # local choices looked at for each path
_KEPT = 3  # of which the best is taken

Values = dict[str, Ratio]
Found = tuple[Alignment, Part, list[Obligation]]


def kept_on(path: Path, choice: Choice, values: Values) -> bool:
    """Whether shifts keep the path and what it shows, on these values of everything else.

    True too where that is open.
    """
    known = {name: Ratio.of(0) for name in path.forms} | values
    for draw, shift in zip(path.stretch.draws, choice, strict=True):
        known[f"Δ{draw.noise.getSymbol()}"] = shift.replaced(known)
    for test in path.tests:
        second = path.second(test.number)
        value = None if second is None else second.replaced(known).constant
        if value is not None and (value == 0 if test.equal else value >= 0) is not test.truth:
            return False
    moved = (second - n for n in path.shown if (second := path.second(n)) is not None)
    return not any(gap.replaced(known).constant for gap in moved)


@dataclass(slots=True)
class Search:
    """A search for one relation.

    Attributes
    ----------
    prover : Prover
    """

    prover: Prover

    def run(self) -> Found | None:
        """Return a proved alignment with its invariant and obligations, None where none is."""
        for alignment in self._alignments():
            proved = self.prover.proved(alignment)
            if proved is not None:
                return alignment, *proved
        return None

    def _alignments(self) -> Iterator[Alignment]:
        """Yield alignments whose cells are the paths."""
        paths, relation = self.prover.system.paths, self.prover.runs.part.relation
        first = [p for p in paths if p.stretch.start == START]
        later = [p for p in paths if p.stretch.start != START and p.stretch.draws]
        rest = {p: () for p in paths if p.stretch.start != START and not p.stretch.draws}
        opening = [list(islice(combinations(p, relation), 12)) for p in first]
        for choice in islice(product(*opening), 60):
            shifts: dict[Path, Choice] = dict(zip(first, choice, strict=True))
            at_head = self._at_heads(shifts)
            if not all(self._locally(p, (), at_head, []) for p in rest):
                continue
            local = {p: self._local(p, at_head) for p in later}
            found = {**shifts, **rest, **{p: best for p, best in local.items() if best is not None}}
            if len(found) == len(paths):
                yield Alignment({path: found[path] for path in paths})

    def _at_heads(self, opening: dict[Path, Choice]) -> Kept:
        """Return the candidates that survive until noise is drawn."""
        runs, paths = self.prover.runs, self.prover.system.paths
        alignment = Alignment({p: opening.get(p, still(p)) for p in paths})
        known = [p.stretch for p in paths if p in opening or not p.stretch.draws]
        runs.part = self.prover.part(alignment)
        steps = [runs.step(g) for g in known]
        reached = {g.to for g in known}
        candidates = {
            loop: [p for p in found if p.between] if loop in reached else []
            for loop, found in self.prover.candidates(alignment).items()
        }  # bounds on counters would make the last iterations look impossible
        return self.prover.invariant(steps, candidates)

    def _local(self, path: Path, held: Kept) -> Choice | None:
        """Return the best shifts that keep the path and what it releases, None where none do."""
        found: list[tuple[int, int, Choice]] = []
        against: list[Values] = []
        relation = self.prover.runs.part.relation
        for rank, choice in enumerate(islice(combinations(path, relation), _TRIED)):
            if self._endless(path, choice) or any(not kept_on(path, choice, v) for v in against):
                continue
            broken = self._locally(path, choice, held, against)
            if broken:
                found.append((broken, rank, choice))
            if len(found) == _KEPT or broken == 1:
                break
        return min(found, key=lambda f: f[:2])[-1] if found else None

    def _endless(self, path: Path, choice: Choice) -> bool:
        """Whether an iteration costs something, and nothing counts how often."""
        g, system = path.stretch, self.prover.system
        if g.start != g.to or not any(shift.top for shift in choice):
            return False
        if self.prover.runs.part.relation.total:
            return any(() in shift.top for shift in choice)
        states = system.states(g.start)
        counters = [f"{name}@{g.start}" for name, whole, public in states if whole and not public]
        return not any((path.numbers[name] - Ratio.name(name)).constant for name in counters)

    def _locally(self, path: Path, choice: Choice, held: Kept, against: list[Values]) -> int:
        """Return 0 where the path or a release is lost, else 1 + candidates that are broken.

        The values on which it is lost are added to `against`.
        """
        prover, g, terms = self.prover, path.stretch, self.prover.system.terms
        if not held.get(g.start):
            return 1
        prover.runs.part = prover.part(Alignment({path: choice}))
        step = prover.runs.step(g)
        given = [*step.given, *prover.held(held[g.start], step.before)]
        keeps = [goal for name, goal in step.goals if name != "cost"]
        if step.after is not None and g.to is not None:
            alike = (step.after.same(name) for name in prover.system.lists(g.to))
            keeps += [term for term in alike if term is not None]
        denied = [*given, terms.negation(terms.both(keeps))]
        answer, solver = prover.asked(denied)
        if answer is not False:
            if answer:
                against.append(_values(denied, solver))
            return 0
        if step.after is None or g.to is None:
            return 1
        after = prover.held(held[g.to], step.after)
        answer, solver = prover.asked([*given, terms.negation(terms.both(after))])
        return 1 + sum(bool(answer) and not solver.getValue(t).getBooleanValue() for t in after)


def _values(formulas: list[Term], solver: Any) -> Values:
    """Return the values that a model gives to unknowns, and by how much they differ."""
    found = {
        name: Ratio.of(Fraction(solver.getValue(term).getRealValue()))
        for name, term in unknowns(formulas).items()
        if not term.getSort().isBoolean()
    }
    twice = [name for name in found if f"second {name}" in found]
    return found | {f"Δ{name}": found[f"second {name}"] - found[name] for name in twice}
