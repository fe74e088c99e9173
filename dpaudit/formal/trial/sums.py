"""Laws of sums of independent noise variables, by closed forms where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from dpaudit.formal.balls import Ball, rational
from dpaudit.formal.clock import charge
from dpaudit.formal.program import Place
from dpaudit.formal.trial.affine import Affine, Variable
from dpaudit.formal.trial.laws import Continuous, Derived, Geometric, Law, Multiple, Normal, Unknown
from dpaudit.formal.trial.probability import has_density, probability

MOST_VALUES = 400
_MISSING = Fraction(1, 10**20)
_NOWHERE = Place("", 0)


def sum_of(laws: Sequence[Law]) -> Law:
    """Return the law of the sum of independent variables."""
    if all(isinstance(law, Normal) for law in laws):
        return NormalSum(
            sum((law.scale**2 for law in laws if isinstance(law, Normal)), Fraction(0))
        )
    if len(laws) == 2:
        if all(map(has_density, laws)):
            return DensitySum(laws[0], laws[1])
        for one, other in (laws, laws[::-1]):
            if _counted(one) is not None:
                return CountedSum(other, one)
    return Unknown()


@dataclass(frozen=True, slots=True)
class NormalSum(Continuous):
    """A sum of normal variables."""

    variance: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        return (-rational(t) / (2 * rational(self.variance)).sqrt()).erfc() / 2


@dataclass(frozen=True, slots=True)
class DensitySum(Continuous):
    """A sum of two variables whose densities are integrated in closed form."""

    first: Law
    second: Law

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        parts = (Variable(law, _NOWHERE) for law in (self.first, self.second))
        return probability([Affine(t, dict.fromkeys(parts, Fraction(-1)))])


@dataclass(frozen=True, slots=True)
class CountedSum(Derived):
    """A sum of a variable and of a multiple of a geometric one, value by value."""

    count: Law

    integral = False

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        counted = _counted(self.count)
        assert counted is not None
        factor, p = counted
        hit, miss, missing = rational(p), rational(1 - p), rational(_MISSING)
        total, left = flint.arb(0), flint.arb(1)
        for value in range(1, MOST_VALUES):
            charge(20)
            total += left * hit * self.inner.below(t - factor * value, strict=strict)
            left *= miss
            if left < missing:
                break
        return total + left * flint.arb("0.5 +/- 0.5")


def _counted(law: Law) -> tuple[Fraction, Fraction] | None:
    """Return the factor and the chance of a multiple of a geometric variable."""
    if isinstance(law, Geometric):
        return Fraction(1), law.p
    if isinstance(law, Multiple) and isinstance(law.inner, Geometric):
        return law.factor, law.inner.p
    return None
