"""Intervals with exact ends, each computed by a ball (flint) and rounded outwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint


class UndefinedError(Exception):
    """Somewhere in the interval there may be no value."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`, which are exact."""

    low: Any
    high: Any

    def __add__(self, other: Interval) -> Interval:
        return made(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return made(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        low, high = ends[0].lower(), ends[0].upper()
        for end in ends[1:]:
            low, high = low.min(end.lower()), high.max(end.upper())
        return made(low, high)

    def __truediv__(self, other: Interval) -> Interval:
        if other.low <= 0 and other.high >= 0:
            raise UndefinedError
        return self * made(1 / other.high, 1 / other.low)

    def power(self, n: int) -> Interval:
        """Return a whole power."""
        if n < 0:
            return whole(1) / self.power(-n)
        if n % 2 == 0 and self.low < 0:
            if self.high > 0:
                return made(flint.arb(0), (-self.low).max(self.high) ** n)
            return (-self).power(n)
        return made(self.low**n, self.high**n)

    def rising(self, function: Callable[[Any], Any]) -> Interval:
        """Return the values of a function that rises."""
        return made(function(self.low), function(self.high))

    def sqrt(self) -> Interval:
        """Return the root, where no number is negative."""
        if self.low < 0:
            raise UndefinedError
        return self.rising(lambda end: end.sqrt())

    def log(self) -> Interval:
        """Return the logarithm, where all numbers are positive."""
        if self.low <= 0:
            raise UndefinedError
        return self.rising(lambda end: end.log())

    def absolute(self) -> Interval:
        """Return the sizes."""
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        return Interval(flint.arb(0), (-self.low).max(self.high))

    def union(self, other: Interval) -> Interval:
        """Return the least interval that holds both."""
        return Interval(self.low.min(other.low), self.high.max(other.high))

    def max(self, other: Interval) -> Interval:
        """Return the greater of two numbers."""
        return Interval(self.low.max(other.low), self.high.max(other.high))


def made(low: Any, high: Any) -> Interval:
    """Return the interval between two balls."""
    found = Interval(low.lower(), high.upper())
    if not (found.low <= found.high and found.low.is_finite() and found.high.is_finite()):
        raise UndefinedError
    return found


def whole(value: int) -> Interval:
    """Return an integer."""
    return Interval(flint.arb(value), flint.arb(value))


def rational(low: Fraction, high: Fraction | None = None) -> Interval:
    """Return the interval between two rationals, or one rational."""
    ends = (low, low if high is None else high)
    return made(*(flint.arb(flint.fmpq(end.numerator, end.denominator)) for end in ends))
