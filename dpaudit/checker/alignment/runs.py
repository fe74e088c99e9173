"""Two runs of a stretch: what must hold so that the noise of the first can pay for the second.

Randomness alignment (Zhang & Kifer 2017; Wang, Ding, Kifer & Zhang 2020). Noise of the first run is
mapped to noise of the second. Cells are the paths of the first run. If on every cell the map is
injective and keeps volume, if images of two cells are disjoint, if both runs return the same, and
if the density falls by at most e^ε, then ε-differential privacy holds: sum over the cells.

The draws move by shifts that depend on the data and earlier draws alone, so that the map is
triangular with a unit diagonal; the second run takes the same path, so that images are as disjoint
as paths are.

Where a draw is a whole number, the sum goes over whole numbers, and so its shift is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.checker.alignment.content import Content, Form, Part
from dpaudit.checker.alignment.execute import Execution
from dpaudit.checker.alignment.formulas import Reader, View
from dpaudit.checker.alignment.heads import head_view, in_second_run, same_list, unknowns_of
from dpaudit.checker.alignment.kinds import Head, is_public, number_at
from dpaudit.checker.alignment.one_pass import validate_one_pass
from dpaudit.checker.alignment.ratios import Ratio, parsed
from dpaudit.checker.alignment.state import START, Draw, Read, Stretch
from dpaudit.checker.alignment.terms import LENGTH, Term, Terms, replaced
from dpaudit.checker.alignment.values import Listing, Value, is_term, same
from dpaudit.checker.file import NotCheckedError, RejectedError

# Their density falls by at most e^(s/b) on shifts s >= 0.
RIGHT_ONLY = ("exponential", "gumbel")


@dataclass(slots=True, eq=False)
class Obligation:
    """Goals that must follow from what is given.

    Attributes
    ----------
    title : str
    given : list of Term
    goals : list of (str, Term)
    """

    title: str
    given: list[Term] = field(default_factory=list)
    goals: list[tuple[str, Term]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Step:
    """Both runs on one stretch, from one cut to the next.

    Attributes
    ----------
    stretch : Stretch
    before : View
        What the variables of the head are that the stretch begins at.
    after : View or None
        What those of the head become that both runs reach; None where they end.
    given : list of Term
    goals : list of (str, Term)
        But for the invariants.
    """

    stretch: Stretch
    before: View
    after: View | None = None
    given: list[Term] = field(default_factory=list)
    goals: list[tuple[str, Term]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class TwoRuns:
    """Regenerates the obligations of one relation.

    Attributes
    ----------
    execution : Execution
    content : Content
    part : Part
    """

    execution: Execution
    content: Content
    part: Part

    @property
    def terms(self) -> Terms:
        """The solver's terms."""
        return self.execution.terms

    def obligations(self) -> Iterator[Obligation]:
        """Yield all obligations of this relation."""
        self.validate()
        for step in self.steps():
            g = step.stretch
            after = [] if step.after is None else self._invariant(g.to, step.after)
            yield obligation(step, self._invariant(g.start, step.before), after)
        used = {(g.start, g.tests) for g in self.execution.stretches}
        if used != set(self.part.paths):
            raise RejectedError("`paths` has a path that the program has not")

    def validate(self) -> None:
        """Refuse what is told of another program, and programs to which the rules do not apply."""
        self._validate_heads()
        self._validate_told()
        if self.part.relation.total:
            validate_one_pass(self.execution)
        elif any(read.kind != "entry" for g in self.execution.stretches for read in g.reads):
            raise NotCheckedError("not checked: blocks of which every entry may change")

    def steps(self) -> Iterator[Step]:
        """Yield every step of both runs."""
        yield from map(self.step, _distinct(self.execution.stretches))

    def _validate_told(self) -> None:
        """Refuse scales that are told to a reader and are not those of the noise."""
        for (place, family), told in self.part.scales.items():
            for text in told:
                scale = parsed(text, self.execution.parameters, "`scale`")
                draws = (draw for g in self.execution.stretches for draw in g.draws)
                if not any(
                    (d.place, d.family) == (place, family) and d.scale == scale for d in draws
                ):
                    raise RejectedError(f"`scale` is not that of the noise at {place}")

    def _validate_heads(self) -> None:
        heads = self.execution.heads
        if {name: head.place for name, head in heads.items()} != {
            name: place for name, (place, _) in self.part.heads.items()
        }:
            raise RejectedError("`heads` are not the loops of the program")

    # --- one step of both runs

    def step(self, g: Stretch) -> Step:
        """Return what must hold of both runs on a stretch."""
        terms, relation = self.terms, self.part.relation
        head = self.execution.heads.get(g.start)
        by = self._second_run(head, g.reads)
        at_head = head_view(terms, head, by)
        made = Step(g, at_head)
        made.given += [*self._facts(g, by), *g.truths]
        shifts = self._shifts(g, at_head, by)
        spent = at_head.cost or terms.exact(0)
        for draw, shift in zip(g.draws, shifts, strict=True):
            if draw.family in RIGHT_ONLY:
                made.goals.append(
                    ("noise stays in its range", terms.at_least(shift, terms.exact(0)))
                )
            if draw.block is not None:
                made.goals.append(
                    ("noise on a block moves with it", _with_block(terms, draw, shift, by))
                )
            spent = terms.add(spent, terms.multiply(self._rate(draw), terms.size(shift)))
        for draw, shift in zip(g.draws, shifts, strict=True):
            by[draw.noise] = terms.add(draw.noise, shift)
        met = {read.answer: read for read in g.reads if read.kind != "sum"}
        changes = at_head.changes or terms.exact(0)
        if relation.total:
            made.given.append(terms.at_least(changes, terms.exact(0)))
        for answer in met:
            changes = terms.add(changes, terms.size(terms.subtract(by[answer], answer)))
        if relation.total:
            made.given.append(terms.at_least(terms.exact(relation.distance), changes))
        self._compared(made, by, spent, changes)
        return made

    def _compared(
        self,
        made: Step,
        by: dict[Term, Term],
        spent: Term,
        changes: Term,
    ) -> None:
        terms, g = self.terms, made.stretch
        again = [replaced(test, by) for test in g.truths]
        made.goals += [("the second run takes the path", terms.both(again))]
        for read in g.reads:
            one = terms.equal(read.index, replaced(read.index, by))
            made.goals.append(("both runs read one entry", one))
        if g.to is not None:
            made.after = self._view_after(g, by, spent, changes)
            made.goals += self._public_agree(g, by)
            return
        equal = self._equal(g.output, by, g.start)
        paid = terms.at_least(self._allowed(), spent)
        made.goals += [("same output", equal), ("cost", paid)]

    def _facts(self, g: Stretch, by: dict[Term, Term]) -> list[Term]:
        """Return what is known of parameters and of the entries that are read."""
        terms, relation = self.terms, self.part.relation
        facts = [terms.at_least(terms.parameter(LENGTH), terms.exact(0))]
        facts += [
            terms.above(terms.parameter(name), terms.exact(0))
            for name in sorted(self.content.positive)
        ]
        low = Fraction(0) if relation.sign > 0 else -relation.distance
        high = Fraction(0) if relation.sign < 0 else relation.distance
        for read in {read.answer: read for read in g.reads}.values():
            change = terms.subtract(by[read.answer], read.answer)
            ends = terms.exact(low), terms.exact(high)
            if read.kind == "block":  # by how much its entries change together
                ends = terms.exact(0), terms.exact(relation.distance)
            if read.block is not None:
                most = terms.subtract(by[read.block], read.block)
                ends = terms.subtract(terms.exact(0), most), most
            facts += [terms.at_least(change, ends[0]), terms.at_least(ends[1], change)]
        return facts

    def _second_run(self, head: Head | None, reads: tuple[Read, ...]) -> dict[Term, Term]:
        """Return what the unknowns of the first run are in the second."""
        terms, by = self.terms, dict[Term, Term]()
        for unknown, public in unknowns_of(terms, head):
            if not public:
                by[unknown] = in_second_run(terms, unknown)
        for read in reads:
            by[read.answer] = in_second_run(terms, read.answer)
        return by

    # --- alignment

    def _shifts(self, g: Stretch, at_head: View, by: dict[Term, Term]) -> list[Term]:
        found = self.part.paths.get((g.start, g.tests))
        if found is None:
            raise RejectedError(f"`paths` lacks the path from {g.start}: {list(g.tests)}")
        if found.draws != tuple((draw.place, draw.family) for draw in g.draws):
            raise RejectedError(f"the shifts of the path from {g.start} are not of its draws")
        reader = Reader(self.terms, at_head, self._parameters())
        for read in g.reads:
            name = read.named(self.execution.data)
            change = self.terms.subtract(by[read.answer], read.answer)
            reader.others |= {("input", name): read.answer, ("input change", name): change}
        shifts: list[Term] = []
        for at, (draw, form) in enumerate(zip(g.draws, found.forms, strict=True)):
            # Of the draws it knows those before it: the map is triangular.
            shifts.append(reader.number(form))
            reader.others |= {("draw", at): draw.noise, ("shift", at): shifts[-1]}
        return shifts

    def _rate(self, draw: Draw) -> Term:
        """Return the price of moving a draw by 1, in units.

        The densities of Laplace, exponential and Gumbel noise of scale b fall by a factor of at
        most e^(|s|/b) on a shift s, the last two for s >= 0.
        """
        if not draw.scale.positive(self.content.positive):
            raise NotCheckedError(f"not checked: a scale that may not be positive, {draw.place}")
        return self._in_units(Ratio.of(1) / draw.scale, "a price")

    def _allowed(self) -> Term:
        return self._in_units(self.content.budget, "the claim")

    def _in_units(self, nats: Ratio, what: str) -> Term:
        units = nats / self.content.unit
        if units.polynomial is None:
            raise RejectedError(f"{what} is no polynomial in units of `proof.unit`")
        return self.terms.number(units)

    # --- invariants

    def _invariant(self, loop: str | None, view: View) -> list[Term]:
        return [] if loop in (START, None) else self.read(self.part.heads[loop][1], view)

    def read(self, forms: list[Form], view: View) -> list[Term]:
        """Return statements about both runs as terms."""
        reader = Reader(self.terms, view, self._parameters())
        return [reader.truth(form) for form in forms]

    def _view_after(self, g: Stretch, by: dict[Term, Term], spent: Term, changes: Term) -> View:
        terms = self.terms

        def first(name: str) -> Term | None:
            found = number_at(g.after, name, terms)
            return None if found is None else terms.number(found)

        def second(name: str) -> Term | None:
            found = number_at(g.after, name, terms)
            return None if found is None else replaced(terms.number(found), by)

        def one(name: str) -> Term | None:
            found = g.after.get(name)
            return self._equal(found, by, g.start) if isinstance(found, Listing) else None

        return View(first, second, one, spent, changes)

    def _public_agree(self, g: Stretch, by: dict[Term, Term]) -> Iterator[tuple[str, Term]]:
        """Yield that what has one name for both runs is one."""
        for name in filter(is_public, g.after):
            found = number_at(g.after, name, self.terms)
            if found is None:
                raise NotCheckedError(f"not checked: the index {name} is lost")
            value = self.terms.number(found)
            yield "both runs are in one iteration", self.terms.equal(value, replaced(value, by))

    def _equal(self, value: Value, by: dict[Term, Term], start: str) -> Term:
        """Return that a value of the first run is that of the second."""
        terms = self.terms
        if is_term(value):
            return terms.equal(value, replaced(value, by))
        if isinstance(value, tuple):
            return terms.both(self._equal(part, by, start) for part in value)
        if isinstance(value, Listing):
            before = [] if value.earlier is None else [same_list(terms, value.earlier, start)]
            return terms.both([*before, self._equal(value.items, by, start)])
        plain = isinstance(value, bool | str | float | Ratio) or value is None
        return terms.true if plain and same(value, value) else terms.false

    def _parameters(self) -> frozenset[str]:
        return frozenset(self.execution.parameters)


def obligation(step: Step, before: list[Term], after: list[Term]) -> Obligation:
    """Return what must hold of a step between the invariants of its two ends."""
    g = step.stretch
    title = f"{g.start} -> {g.to or 'output'} {list(g.tests)}"
    kept = [(f"invariant of {g.to}", goal) for goal in after]
    return Obligation(title, [*step.given, *before], [*step.goals, *kept])


def _with_block(terms: Terms, draw: Draw, shift: Term, by: dict[Term, Term]) -> Term:
    back = terms.subtract(draw.block, by[draw.block])
    return terms.either([terms.equal(shift, back), terms.equal(shift, terms.exact(0))])


def _distinct(stretches: list[Stretch]) -> list[Stretch]:
    """Return the stretches; two with the same tests would be one path."""
    keys = [(g.start, g.tests) for g in stretches]
    if len(set(keys)) != len(keys):
        raise NotCheckedError("not checked: two paths with the same tests")
    return stretches
