"""Distributions on the integers with geometric tails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Tail = tuple[Any, Any]  # the mass nearest to the middle, and the ratio from there outwards


@dataclass(frozen=True, slots=True, eq=False)
class Tailed:
    """Masses of the integers: a middle that is listed, and tails that fall off geometrically.

    Attributes
    ----------
    start : int
        The integer that the middle starts at.
    middle : tuple of number
    low, high : (number, number) or None
        Mass of the integer next to the middle, and the ratio of each further one to the one
        before; None where there is no tail.
    """

    start: int
    middle: tuple[Any, ...]
    low: Tail | None = None
    high: Tail | None = None

    @property
    def stop(self) -> int:
        """The integer after the middle."""
        return self.start + len(self.middle)

    def mass(self, z: int) -> Any:
        """Return the probability of an integer."""
        if z < self.start:
            return Fraction(0) if self.low is None else _power(self.low, self.start - 1 - z)
        if z >= self.stop:
            return Fraction(0) if self.high is None else _power(self.high, z - self.stop)
        return self.middle[z - self.start]

    def measure(self, low: Any, high: Any) -> Any:
        """Return the probability of ``low <= z < high``; ends may be infinite."""
        total: Any = Fraction(0)
        for z in range(max(low, self.start), min(high, self.stop)):
            total = total + self.middle[z - self.start]
        if self.low is not None and low < self.start:
            nearest = self.start - 1 - min(self.start - 1, high - 1)
            total = total + _between(self.low, nearest, self.start - low)
        if self.high is not None and high > self.stop:
            nearest = max(self.stop, low) - self.stop
            total = total + _between(self.high, nearest, high - self.stop)
        return total

    def affine(self, sign: int, shift: int) -> Tailed:
        """Return the distribution of ``sign · z + shift``, for a sign of 1 or -1."""
        if sign > 0:
            return Tailed(self.start + shift, self.middle, self.low, self.high)
        return Tailed(shift - self.stop + 1, self.middle[::-1], self.high, self.low)

    def times(self, factor: Any) -> Tailed:
        """Return the measure with every mass multiplied."""
        tails = [None if t is None else (t[0] * factor, t[1]) for t in (self.low, self.high)]
        return Tailed(self.start, tuple(m * factor for m in self.middle), *tails)

    def widened(self, start: int, stop: int) -> Tailed:
        """Return the same with a middle that covers at least ``start <= z < stop``."""
        first, last = min(start, self.start), max(stop, self.stop)
        middle = tuple(self.mass(z) for z in range(first, last))
        low = None if self.low is None else (_power(self.low, self.start - first), self.low[1])
        high = None if self.high is None else (_power(self.high, last - self.stop), self.high[1])
        return Tailed(first, middle, low, high)


def geometric(p: Any) -> Tailed:
    """Return the number of trials until the first success."""
    return Tailed(1, (), None, (p, 1 - p))


def difference(p: Any, q: Any) -> Tailed:
    """Return the difference of two independent geometric numbers."""
    # Sum over the smaller one: p q r^z / (1 - r s), r = 1 - p, s = 1 - q.
    r, s = 1 - p, 1 - q
    middle = p * q / (1 - r * s)
    return Tailed(0, (middle,), (middle * s, s), (middle * r, r))


def _power(tail: Tail, steps: int) -> Any:
    return tail[0] * tail[1] ** steps


def _between(tail: Tail, first: int, last: Any) -> Any:
    """Return the mass of the steps ``first <= k < last`` of a tail."""
    if first >= last:
        return Fraction(0)
    mass, ratio = tail
    whole = mass * ratio**first / (1 - ratio)
    return whole if last == math.inf else whole - mass * ratio**last / (1 - ratio)
