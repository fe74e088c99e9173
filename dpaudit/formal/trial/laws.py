"""Laws of single noise variables, by distribution functions in certified balls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, runtime_checkable

import flint

from dpaudit.formal.balls import Ball, rational


@runtime_checkable
class Law(Protocol):
    """How a real random variable is distributed."""

    @property
    def atomic(self) -> bool:
        """Whether single values have positive probability."""

    @property
    def integral(self) -> bool:
        """Whether all values are integers."""

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return Pr[X < t] if `strict`, else Pr[X <= t]."""

    def __hash__(self) -> int:
        """Return the hash of its parameters: laws are values."""


class Continuous:
    """Laws without atoms."""

    __slots__ = ()
    atomic = False
    integral = False


class WholeNumbers:
    """Laws of integers."""

    __slots__ = ()
    atomic = True
    integral = True


@dataclass(frozen=True, slots=True)
class Laplace(Continuous):
    """Density exp(-|x| / scale) / (2 scale)."""

    scale: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        tail = (-rational(abs(t) / self.scale)).exp() / 2
        return tail if t < 0 else 1 - tail


@dataclass(frozen=True, slots=True)
class Normal(Continuous):
    """Density of a centred normal variable."""

    scale: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        return (-rational(t / self.scale) / flint.arb(2).sqrt()).erfc() / 2


@dataclass(frozen=True, slots=True)
class Gumbel(Continuous):
    """Distribution function exp(-exp(-x / scale))."""

    scale: Fraction
    mirrored: bool = False

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        if self.mirrored:
            return 1 - Gumbel(self.scale).below(-t, strict=not strict)
        return (-(-rational(t / self.scale)).exp()).exp()


@dataclass(frozen=True, slots=True)
class Exponential(Continuous):
    """Density exp(-x / scale) / scale for x >= 0."""

    scale: Fraction
    mirrored: bool = False

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        if self.mirrored:
            return 1 - Exponential(self.scale).below(-t, strict=not strict)
        return flint.arb(0) if t <= 0 else 1 - (-rational(t / self.scale)).exp()


@dataclass(frozen=True, slots=True)
class Uniform(Continuous):
    """Uniform between two ends."""

    low: Fraction
    high: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        if t <= self.low or t >= self.high:
            return flint.arb(int(t > self.low))
        return rational((t - self.low) / (self.high - self.low))


@dataclass(frozen=True, slots=True)
class Geometric(WholeNumbers):
    """The number of tosses until the first success, from 1 on."""

    p: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        most = _whole_below(t, strict=strict)
        return flint.arb(0) if most < 1 else 1 - rational(1 - self.p) ** most


@dataclass(frozen=True, slots=True)
class TwoSided(WholeNumbers):
    """The difference of two geometric variables: Pr[Z = z] proportional to alpha^|z|."""

    alpha: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        most = _whole_below(t, strict=strict)
        alpha = rational(self.alpha)
        if most < 0:
            return alpha ** (-most) / (1 + alpha)
        return 1 - alpha ** (most + 1) / (1 + alpha)


@dataclass(frozen=True, slots=True)
class Whole(WholeNumbers):
    """A variable made whole: cut towards zero (``int``), or rounded to the nearest."""

    inner: Law
    how: str  # "trunc" or "round"

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        most = _whole_below(t, strict=strict)
        if self.how == "round":  # ties have probability zero
            return self.inner.below(most + Fraction(1, 2), strict=False)
        if most < 0:
            return self.inner.below(Fraction(most), strict=False)
        return self.inner.below(Fraction(most + 1), strict=True)


@dataclass(frozen=True, slots=True)
class LogOfUniform(Continuous):
    """The logarithm of a uniform variable between two ends that are not negative."""

    low: Fraction
    high: Fraction

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        del strict
        share = (rational(t).exp() - rational(self.low)) / rational(self.high - self.low)
        return share.max(flint.arb(0)).min(flint.arb(1))


def log_of_uniform(low: Fraction, high: Fraction) -> Law:
    """Return the law of the logarithm of a uniform variable between two ends."""
    if low == 0 and high == 1:
        return Exponential(Fraction(1), mirrored=True)
    return LogOfUniform(low, high)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Whatever: all that is known of a probability is that it is one."""

    atomic = True
    integral = False

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the ball of all probabilities."""
        del t, strict
        return anything()


def anything() -> Ball:
    """Return the ball of all probabilities."""
    return flint.arb("0.5 +/- 0.5")


@dataclass(frozen=True, slots=True)
class Derived:
    """What is made of another law has atoms where that has."""

    inner: Law

    @property
    def atomic(self) -> bool:
        """Whether single values have positive probability."""
        return self.inner.atomic


@dataclass(frozen=True, slots=True)
class Shifted(Derived):
    """A variable plus a constant."""

    by: Fraction

    @property
    def integral(self) -> bool:
        """Whether all values are integers."""
        return self.inner.integral and self.by.denominator == 1

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        return self.inner.below(t - self.by, strict=strict)


@dataclass(frozen=True, slots=True)
class Maximum(Continuous):
    """The largest of independent variables, each with a place of its own."""

    parts: tuple[tuple[Fraction, Law], ...]

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        product = flint.arb(1)
        for place, law in self.parts:
            product = product * law.below(t - place, strict=strict)
        return product


@dataclass(frozen=True, slots=True)
class Multiple(Derived):
    """A multiple of a variable whose kind does not have one."""

    factor: Fraction

    @property
    def integral(self) -> bool:
        """Whether all values are integers."""
        return self.inner.integral and self.factor.denominator == 1

    def below(self, t: Fraction, *, strict: bool) -> Ball:
        """Return the distribution function."""
        if self.factor > 0:
            return self.inner.below(t / self.factor, strict=strict)
        return 1 - self.inner.below(t / self.factor, strict=not strict)


def scaled(law: Law, factor: Fraction) -> Law:
    """Return the law of `factor` times a variable; the factor is not 0."""
    match law:
        case Laplace() | Normal():
            return replace(law, scale=law.scale * abs(factor))
        case Gumbel() | Exponential():
            turned = law.mirrored ^ (factor < 0)
            return replace(law, scale=law.scale * abs(factor), mirrored=turned)
        case Uniform():
            low, high = sorted((law.low * factor, law.high * factor))
            return Uniform(low, high)
        case TwoSided():
            factor = abs(factor)
        case Multiple():
            factor, law = law.factor * factor, law.inner
    return law if factor == 1 else Multiple(law, factor)


def _whole_below(t: Fraction, *, strict: bool) -> int:
    """Return the largest integer that is at most t, or below it."""
    floor = t.numerator // t.denominator
    return floor - 1 if strict and t.denominator == 1 else floor
