"""Path choices that a run made of its noise: each branch is followed, with its probability."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import flint

from dpaudit.checker.rounding import tosses
from dpaudit.formal.balls import Ball, rational
from dpaudit.formal.clock import charge
from dpaudit.formal.trial.affine import Affine, NotAffine, Variable
from dpaudit.formal.trial.laws import Derived, Law, Uniform

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


@lru_cache(maxsize=1 << 14)  # runs of other branches, and of other datasets, cut at the same places
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
    """

    path: list[int]
    open: list[int] = field(default_factory=list)
    probability: Ball = field(default_factory=lambda: flint.arb(1))
    intervals: dict[Variable, Interval] = field(default_factory=dict)
    consumed: set[Variable] = field(default_factory=set)
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
        if not gap.terms:
            return _holds(gap.constant, relation)
        if len(gap.terms) > 1:
            raise NotAffine("noises compared with one another")
        ((variable, factor),) = gap.terms.items()
        t = -gap.constant / factor
        if relation == "==":
            if variable.law.atomic:
                raise NotAffine("discrete noise compared for equality")
            return False
        if factor < 0:
            relation = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[relation]
        return self._cut(variable, relation, t)

    def _cut(self, variable: Variable, relation: str, t: Fraction) -> bool:
        interval = self.intervals.get(variable, Interval())
        other = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[relation]
        yes, no = interval.cut(relation, t), interval.cut(other, t)
        sides = [
            (answer, part)
            for answer, part in ((True, yes), (False, no))
            if not part.mass(variable.law) <= 0
        ]
        if not sides:
            raise NotAffine("a branch of noise without probability")
        law = variable.law
        if isinstance(law, Uniform) and len(sides) > 1:
            share = (t - law.low) / (law.high - law.low)
            if not (tosses(share) and tosses(1 - share)):
                raise NotAffine("a uniform draw that floats compare otherwise, so near to an end")
        answer, part = sides[self.pick(len(sides))]
        self.intervals[variable] = part
        return answer

    def mass(self) -> Ball:
        """Return the probability of the path that was followed."""
        product = self.probability
        for variable, interval in self.intervals.items():
            product = product * interval.mass(variable.law)
        return product


@dataclass(slots=True)
class Comparing(Oracle):
    """Follows every order that noises may have, and notes it: nothing is weighed on the way.

    Attributes
    ----------
    positive : list of Affine
        What is above 0 on this path. Noise is continuous: it is never equal to anything.
    """

    positive: list[Affine] = field(default_factory=list)

    def choose(self, weights: list[Ball]) -> int:
        """Refuse what is no comparison."""
        del weights
        raise NotAffine("a choice that is no comparison of noise")

    def decide(self, gap: Affine, relation: str) -> bool:
        """Return whether gap stands in the relation to 0, on the branch that is followed."""
        if not gap.terms:
            return _holds(gap.constant, relation)
        if any(variable.law.atomic or variable.made for variable in gap.terms):
            raise NotAffine("a comparison of noise of this kind")
        if relation == "==":
            return False
        wanted = relation in (">", ">=")
        for known in (k for k in self.positive if k.terms.keys() == gap.terms.keys()):
            for other, sign in ((gap, True), (-gap, False)):
                if known.terms == other.terms and known.constant <= other.constant:
                    return wanted is sign
        above = self.pick(2) == 0
        self.positive.append(gap if above else -gap)
        return wanted is above


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


def _holds(value: Fraction, relation: str) -> bool:
    return {
        "<": value < 0,
        "<=": value <= 0,
        ">": value > 0,
        ">=": value >= 0,
        "==": value == 0,
    }[relation]


def share(numerator: int, denominator: int) -> Ball:
    """Return the ball around a ratio of integers."""
    return rational(Fraction(numerator, denominator))
