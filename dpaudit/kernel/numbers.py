"""Exact numbers: rationals, a + b·exp(c), square roots of rationals; balls for all others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import flint

PRECISION = 300
MOST_BITS = 4096


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """The kernel does not accept a step; the message says why."""


@dataclass(frozen=True, slots=True)
class Real:
    """A real number: base + factor·exp(power), or the root of a rational, or a ball.

    Attributes
    ----------
    base, factor, power : Fraction
    root : Fraction, optional
        Then the number is its square root.
    ball : flint.arb, optional
        Then the number lies in it.
    """

    base: Fraction = Fraction(0)
    factor: Fraction = Fraction(0)
    power: Fraction = Fraction(0)
    root: Fraction | None = None
    ball: flint.arb | None = None

    @staticmethod
    def of(value: float | Fraction) -> Real:
        """Return the real number that a float, integer or rational is."""
        found = Fraction(value)
        if max(abs(found.numerator).bit_length(), found.denominator.bit_length()) > MOST_BITS:
            raise Refusal("a number with very many digits")
        return Real(found)

    @property
    def rational(self) -> Fraction | None:
        """The number, where it is known to be rational."""
        if self.ball is not None or self.root is not None or self.factor:
            return None
        return self.base

    def arb(self) -> flint.arb:
        """Return a ball that holds the number."""
        if self.ball is not None:
            return self.ball
        if self.root is not None:
            return arb(self.root).sqrt()
        found = arb(self.base)
        return found + arb(self.factor) * arb(self.power).exp() if self.factor else found

    def positive(self) -> bool:
        """Whether the number is known to be positive."""
        exact = self.rational
        return exact > 0 if exact is not None else bool(self.arb() > 0)

    def at_most(self, other: Real) -> bool:
        """Whether the number is known to be at most another."""
        if self is other or (self.ball is None and other.ball is None and self == other):
            return True
        one, two = self.rational, other.rational
        if one is not None and two is not None:
            return one <= two
        return bool(self.arb() <= other.arb())

    def __add__(self, other: Real) -> Real:
        a, b = self.rational, other.rational
        if a is not None and b is not None:
            return Real.of(a + b)
        for one, two in ((self, b), (other, a)):
            if two is not None and one.factor and one.ball is None:
                return Real(one.base + two, one.factor, one.power)
        return Real(ball=self.arb() + other.arb())

    def __neg__(self) -> Real:
        if self.ball is not None or self.root is not None:
            return Real(ball=-self.arb())
        return Real(-self.base, -self.factor, self.power)

    def __mul__(self, other: Real) -> Real:
        a, b = self.rational, other.rational
        if a is not None and b is not None:
            return Real.of(a * b)
        for one, two in ((self, b), (other, a)):
            if two is None or one.ball is not None:
                continue
            if one.root is not None and two > 0:
                return Real(root=one.root * two * two)
            if one.factor and two:
                return Real(one.base * two, one.factor * two, one.power)
        if self.root is not None and self.root == other.root:
            return Real.of(self.root)
        return Real(ball=self.arb() * other.arb())

    def inverse(self) -> Real:
        """Return 1 over the number, which must be known not to be 0."""
        exact = self.rational
        if exact is not None:
            if exact == 0:
                raise Refusal("division by 0")
            return Real.of(1 / exact)
        if self.root:
            return Real(root=1 / self.root)
        if self.factor and not self.base and self.ball is None:
            return Real(Fraction(0), 1 / self.factor, -self.power)
        found = self.arb()
        if not (found > 0 or found < 0):
            raise Refusal("division by what may be 0")
        return Real(ball=1 / found)

    def exp(self) -> Real:
        """Return e to the number."""
        exact = self.rational
        if exact is None:
            return Real(ball=self.arb().exp())
        if abs(exact) > 10_000:
            raise Refusal("the exponential of a large number")
        return Real(Fraction(0), Fraction(1), exact) if exact else Real.of(1)

    def log(self) -> Real:
        """Return the natural logarithm of the number, which must be known to be positive."""
        if not self.positive():
            raise Refusal("the logarithm of what may be 0 or less")
        if self.ball is None and self.root is None and not self.base and self.factor == 1:
            return Real.of(self.power)
        return Real.of(0) if self.rational == 1 else Real(ball=self.arb().log())

    def sqrt(self) -> Real:
        """Return the square root of the number, which must be known to be positive."""
        if not self.positive():
            raise Refusal("the root of what may be 0 or less")
        exact = self.rational
        if exact is None:
            return Real(ball=self.arb().sqrt())
        up, down = math.isqrt(exact.numerator), math.isqrt(exact.denominator)
        if up * up == exact.numerator and down * down == exact.denominator:
            return Real.of(Fraction(up, down))
        return Real(root=exact)

    def __str__(self) -> str:
        exact = self.rational
        if exact is not None:
            return str(exact)
        return str(self.arb().str(25, radius=False))


def arb(value: Fraction) -> flint.arb:
    """Return a ball that holds a rational."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def total(numbers: list[Real]) -> Real:
    """Return a sum."""
    found = Real.of(0)
    for number in numbers:
        found = found + number
    return found
