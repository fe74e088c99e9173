"""Path choices that a run made of its noise: each branch is followed, with its probability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain

import flint

from dpaudit.checker.operators import SIGNS, TURNED_SIGNS
from dpaudit.checker.rounding import tosses
from dpaudit.formal.balls import Ball, rational
from dpaudit.formal.clock import charge, remembered
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable
from dpaudit.formal.trial.laws import (
    Continuous,
    Derived,
    Geometric,
    Gumbel,
    Laplace,
    Law,
    Normal,
    Shifted,
    TwoSided,
    Uniform,
    Unknown,
    Whole,
    anything,
    scaled,
)
from dpaudit.formal.trial.probability import has_density, probability
from dpaudit.formal.unsupported import Unsupported

MOST_CHOICES = 40


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a variable lies, given the branches that were taken; None is no end."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False

    def mass(self, law: Law) -> Ball:
        """Return the probability of the interval."""
        return _mass(self, law, flint.ctx.prec)

    def may_hold(self, law: Law) -> bool:
        """Return whether the interval has a probability above 0, or may have one."""
        wide = self.low is None or self.high is None or self.low < self.high
        if wide and isinstance(law, Laplace | Normal | Gumbel):  # of densities above 0 everywhere
            return True
        return not self.mass(law) <= 0

    def ends(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """Return the ends of what is left of another interval in it."""
        return (
            low if self.low is None else max(low, self.low),
            high if self.high is None else min(high, self.high),
        )

    def gaps(self, variable: Variable) -> Iterator[Affine]:
        """Yield what is positive where a continuous variable lies in it."""
        if self.low is not None:
            yield Affine(-self.low, {variable: Fraction(1)})
        if self.high is not None:
            yield Affine(self.high, {variable: Fraction(-1)})

    def cut(self, relation: str, t: Fraction) -> Interval:
        """Return the part where the variable is in the relation to t."""
        if relation in ("<", "<="):
            strict = relation == "<"
            if self.high is not None and (self.high, not self.high_open) <= (t, not strict):
                return self
            return Interval(self.low, t, self.low_open, strict)
        strict = relation == ">"
        if self.low is not None and (self.low, self.low_open) >= (t, strict):
            return self
        return Interval(t, self.high, strict, self.high_open)


@remembered(1 << 14)  # runs of other branches, and of other datasets, cut at the same places
def _mass(interval: Interval, law: Law, bits: int) -> Ball:
    """Return the probability of an interval at the precision that is set."""
    assert bits == flint.ctx.prec
    top = flint.arb(1)
    if interval.high is not None:
        top = law.below(interval.high, strict=interval.high_open)
    if interval.low is None:
        return top
    return top - law.below(interval.low, strict=not interval.low_open)


@dataclass(slots=True)
class Oracle:
    """Replays a path of choices, and takes the first option where the path ends.

    Attributes
    ----------
    path : list of int
        Which option to take, choice by choice.
    open : list of int
        How many options the choices had.
    probability : Ball
        Of all choices that do not restrict a variable.
    intervals : dict of Variable to Interval
        Where variables lie that were compared with numbers.
    positive : list of Affine
        What is above 0 on this path, of several draws each. They are continuous: none is 0.
    owners : dict of Variable to Any
        Of draws: the variable that was decided and holds them, or None where their law is lost.
    pairs : dict
        The variables that stand for differences of two geometric draws.
    consumed : set of Variable
        What a choice of the largest has used up.
    guessed : bool
        Whether a way was taken whose probability is not known.
    """

    path: list[int]
    open: list[int] = field(default_factory=list)
    probability: Ball = field(default_factory=lambda: flint.arb(1))
    intervals: dict[Variable, Interval] = field(default_factory=dict)
    positive: list[Affine] = field(default_factory=list)
    owners: dict[Variable, Variable | None] = field(default_factory=dict)
    pairs: dict[tuple[Variable, Variable], Variable] = field(default_factory=dict)
    consumed: set[Variable] = field(default_factory=set)
    guessed: bool = False
    forced: dict[Variable, float] = field(default_factory=dict)

    def pick(self, options: int) -> int:
        """Return which of several options to follow."""
        if options == 1:
            return 0
        at = len(self.open)
        if at >= MOST_CHOICES:
            raise NotAffine(f"more than {MOST_CHOICES} choices on noise in one run")
        self.open.append(options)
        if at == len(self.path):
            self.path.append(0)
        return self.path[at]

    def choose(self, weights: list[Ball]) -> int:
        """Follow one of several outcomes with these probabilities."""
        possible = [i for i, weight in enumerate(weights) if weight != 0]
        chosen = possible[self.pick(len(possible))]
        self.probability = self.probability * weights[chosen]
        return chosen

    def decide(self, gap: Affine, relation: str) -> bool:
        """Return whether gap stands in the relation to 0, on the branch that is followed."""
        gap = Affine(gap.constant, self.paired(gap.terms))
        if not gap.terms:
            return bool(SIGNS[relation](gap.constant, 0))
        if relation == "==":
            if not is_discrete(gap):
                return False
            return not self.decide(gap, "<") and self.decide(gap, "<=")
        if len(gap.terms) > 1:
            return self._compare(gap, relation)
        ((variable, factor),) = gap.terms.items()
        t = -gap.constant / factor
        if factor < 0:
            relation = TURNED_SIGNS[relation]
        return self._cut(variable, relation, t)

    def _cut(self, variable: Variable, relation: str, t: Fraction) -> bool:
        law = variable.law
        if isinstance(law, Whole):
            return self.decide(*_before_rounding(variable, relation, t))
        if isinstance(law, Unknown) or not self.owns(variable):
            return self._guess([variable])
        interval = self.intervals.get(variable, Interval())
        other = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[relation]
        yes, no = interval.cut(relation, t), interval.cut(other, t)
        sides = [
            (answer, part)
            for answer, part in ((True, yes), (False, no))
            if part.may_hold(variable.law)
        ]
        if not sides:
            raise NotAffine("a branch of noise without probability")
        if isinstance(law, Uniform) and len(sides) > 1:
            share = (t - law.low) / (law.high - law.low)
            if not (tosses(share) and tosses(1 - share)):
                raise NotAffine("a uniform draw that floats compare otherwise, so near to an end")
        answer, part = sides[self.pick(len(sides))]
        self.intervals[variable] = part
        self.use_up([variable], variable)
        return answer

    def _compare(self, gap: Affine, relation: str) -> bool:
        """Return the answer of a comparison of several draws, which is noted."""
        wanted = relation in (">", ">=")
        for known in (k for k in self.positive if k.terms.keys() == gap.terms.keys()):
            for other, sign in ((gap, True), (-gap, False)):
                if known.terms == other.terms and known.constant <= other.constant:
                    return wanted is sign
        if not all(has_density(v.law) and self.owns(v) for v in gap.terms):
            return self._guess(gap.terms)
        above = self.pick(2) == 0
        self.positive.append(gap if above else -gap)
        for variable in gap.terms:
            self.use_up([variable], variable)
        return wanted is above

    def _guess(self, variables: Iterable[Variable]) -> bool:
        """Follow one answer of a comparison of which no probability is known."""
        self.probability, self.guessed = self.probability * anything(), True
        self.use_up(variables)
        return self.pick(2) == 0

    def owns(self, variable: Variable) -> bool:
        """Return whether no decision so far was about the draws of a variable in another way."""
        return all(self.owners.get(drawn, variable) is variable for drawn in base(variable))

    def use_up(self, variables: Iterable[Variable], owner: Variable | None = None) -> None:
        """Note what stands for the draws of variables from now on; nothing, if they are lost."""
        self.owners.update((drawn, owner) for v in variables for drawn in base(v))

    def paired(self, terms: Mapping[Variable, Fraction]) -> dict[Variable, Fraction]:
        """Write the difference of two geometric draws as one two-sided variable."""
        match list(terms.items()):
            case [(first, factor), (second, other)] if (
                isinstance(first.law, Geometric) and first.law == second.law and factor == -other
            ):
                if (second, first) in self.pairs:
                    first, second, factor = second, first, other
                return {self.difference(first, second): factor}
        return dict(terms)

    def difference(self, first: Variable, second: Variable) -> Variable:
        """Return the variable that is the difference of two geometric draws, the same each time."""
        if (first, second) not in self.pairs:
            assert isinstance(first.law, Geometric)
            one = Fraction(1)
            parts = (Affine(Fraction(0), {first: one, second: -one}),)
            made = Variable(TwoSided(1 - first.law.p), first.place, parts, float)
            self.pairs[first, second] = made
        return self.pairs[first, second]

    def given(self, variable: Variable) -> Law:
        """Return the law of a variable, given the choices."""
        law = variable.law
        if isinstance(law, Whole):
            (part,) = variable.made
            ((inner, factor),) = part.terms.items()
            before = self.given(inner)
            if before == inner.law or isinstance(before, Unknown):
                return law if before == inner.law else before
            return Whole(Shifted(scaled(before, factor), part.constant), law.how)
        if not self.owns(variable):
            return Unknown()
        if variable in self._together():
            return self.together({variable: Fraction(1)})
        seen = self.intervals.get(variable)
        return law if seen is None else Conditional(law, seen)

    def together(self, terms: dict[Variable, Fraction]) -> Law:
        """Return the law of a sum of draws, given the choices, some of which compared several."""
        if not all(has_density(v.law) and self.owns(v) for v in terms):
            return Unknown()
        positive = tuple(self.constraints(self._together() | terms.keys()))
        return Together(Affine(Fraction(0), terms), positive, _chance(list(positive)))

    def _together(self) -> set[Variable]:
        """Return what was compared with one another."""
        return {variable for gap in self.positive for variable in gap.terms}

    def constraints(self, of: Set[Variable] | None = None) -> list[Affine]:
        """Return what is positive on this path, of all draws that were compared, or of some."""
        held = (v for v in self.intervals if of is None or v in of)
        return [*self.positive, *chain.from_iterable(self.intervals[v].gaps(v) for v in held)]

    def mass(self) -> Ball:
        """Return the probability of the path that was followed."""
        together = self._together()
        product = self.probability * _chance(self.constraints(together))
        for variable, interval in self.intervals.items():
            if variable not in together:
                product = product * interval.mass(variable.law)
        return product


def base(variable: Variable) -> set[Variable]:
    """Return the draws that a variable is made of: itself, where it is one."""
    if not variable.made:
        return {variable}
    return {drawn for part in variable.made for inner in part.terms for drawn in base(inner)}


def is_discrete(gap: Affine) -> bool:
    """Return whether noise may have a single value with a positive probability."""
    apart = sum(len(base(v)) for v in gap.terms) == len({d for v in gap.terms for d in base(v)})
    return not apart or all(variable.law.atomic for variable in gap.terms)


def _before_rounding(variable: Variable, relation: str, t: Fraction) -> tuple[Affine, str]:
    """Return the comparison of a number before rounding that says the same."""
    (part,) = variable.made
    assert isinstance(variable.law, Whole)
    how = variable.law.how
    if relation in ("<", "<="):
        most = Fraction(math.floor(t) if relation == "<=" else math.ceil(t) - 1)
        if how == "round":  # ties have probability zero
            return part - (most + Fraction(1, 2)), "<"
        return (part - (most + 1), "<") if most >= 0 else (part - most, "<=")
    least = Fraction(math.ceil(t) if relation == ">=" else math.floor(t) + 1)
    if how == "round":
        return part - (least - Fraction(1, 2)), ">"
    return (part - (least - 1), ">") if least <= 0 else (part - least, ">=")


def _chance(positive: list[Affine]) -> Ball:
    """Return the probability that all numbers are positive, any where it is not integrated."""
    try:
        return probability(positive)
    except Unsupported:
        return anything()


@dataclass(frozen=True, slots=True)
class Together(Continuous):
    """The law of a sum of draws given what is positive, of them and of others."""

    total: Affine
    positive: tuple[Affine, ...]
    condition: Ball = field(compare=False)  # the probability of what is positive

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        if not self.condition > 0:
            return anything()
        if len(self.total.terms) > 2:  # which is not integrated
            charge(30)
            return anything() / self.condition
        part = _chance([*self.positive, Affine(t, {}) - self.total])
        return part / self.condition


def following(oracle: Oracle) -> list[int] | None:
    """Return the next path in the order of a depth-first search, None after the last."""
    charge(130)
    path = oracle.path[: len(oracle.open)]
    while path:
        path[-1] += 1
        if path[-1] < oracle.open[len(path) - 1]:
            return path
        path.pop()
    return None


@dataclass(frozen=True, slots=True)
class Conditional(Derived):
    """A law given that the variable lies in an interval."""

    interval: Interval

    @property
    def integral(self) -> bool:
        """Whether all values are integers."""
        return self.inner.integral

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        cut = self.interval.cut("<" if strict else "<=", t)
        if cut.low is not None and cut.high is not None:
            if cut.high < cut.low:
                return flint.arb(0)
            if cut.high == cut.low and (cut.low_open or cut.high_open):
                return flint.arb(0)
        return cut.mass(self.inner) / self.interval.mass(self.inner)


def share(numerator: int, denominator: int) -> Ball:
    """Return the ball around a ratio of integers."""
    return rational(Fraction(numerator, denominator))
