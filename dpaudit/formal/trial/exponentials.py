"""Piecewise sums of c·x^k·e^(rx): closed under what integrals over Laplace noise need.

Break points, rates and powers are exact; coefficients are balls, so that every value is certified.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial
from typing import Any

import flint

from dpaudit.formal.clock import charge

Term = tuple[int, Fraction]  # x^k e^(rx)
Terms = dict[Term, Any]  # to a ball
Bound = Fraction | None  # None: infinite


def ball(value: Fraction) -> Any:
    """Return the ball of a rational."""
    charge(50)
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


@dataclass(frozen=True, slots=True)
class Piecewise:
    """A function of one real variable.

    Attributes
    ----------
    breaks : tuple of Fraction
        In order; piece j lies between breaks[j − 1] and breaks[j].
    pieces : tuple of Terms
        One more than the breaks.
    """

    breaks: tuple[Fraction, ...]
    pieces: tuple[Terms, ...]

    def times(self, other: Piecewise) -> Piecewise:
        """Return the product."""
        breaks = tuple(sorted({*self.breaks, *other.breaks}))
        pieces = []
        for j in range(len(breaks) + 1):
            left = self._piece(breaks, j)
            right = other._piece(breaks, j)
            pieces.append(_product(left, right))
        return Piecewise(breaks, tuple(pieces))

    def refined(self, breaks: Iterable[Fraction]) -> Piecewise:
        """Return it with more break points."""
        charge(160)
        every = tuple(sorted({*self.breaks, *breaks}))
        return Piecewise(every, tuple(self._piece(every, j) for j in range(len(every) + 1)))

    def _piece(self, breaks: tuple[Fraction, ...], j: int) -> Terms:
        """Return the terms on piece j of a finer partition."""
        if not breaks:
            return self.pieces[0]
        at = bisect_left(self.breaks, breaks[j]) if j < len(breaks) else len(self.breaks)
        return self.pieces[at]

    def within(self, low: Bound, high: Bound) -> Piecewise:
        """Return it where low < x < high, and 0 elsewhere."""
        cut = self.refined(b for b in (low, high) if b is not None)
        pieces = []
        for j, piece in enumerate(cut.pieces):
            left = cut.breaks[j - 1] if j else None
            right = cut.breaks[j] if j < len(cut.breaks) else None
            out = low is not None and (left is None or left < low)
            out = out or (high is not None and (right is None or right > high))
            pieces.append({} if out else piece)
        return Piecewise(cut.breaks, tuple(pieces))

    def cumulative(self) -> Piecewise:
        """Return x ↦ the integral up to x."""
        pieces: list[Terms] = []
        total: Any = flint.arb(0)
        for j, piece in enumerate(self.pieces):
            primitive = _primitive(piece)
            if j == 0:
                _validate_vanishing(piece, left=True)
                start = flint.arb(0)
            else:
                start = value_of(primitive, self.breaks[j - 1])
            shifted = dict(primitive)
            key = (0, Fraction(0))
            shifted[key] = shifted.get(key, flint.arb(0)) + total - start
            pieces.append(shifted)
            if j < len(self.breaks):
                total = value_of(shifted, self.breaks[j])
        return Piecewise(self.breaks, tuple(pieces))

    def integral(self) -> Any:
        """Return the integral over the line."""
        _validate_vanishing(self.pieces[-1], left=False)
        total = flint.arb(0)
        for j, piece in enumerate(self.pieces):
            primitive = _primitive(piece)
            if j < len(self.breaks):
                total += value_of(primitive, self.breaks[j])
            if j > 0:
                total -= value_of(primitive, self.breaks[j - 1])
        return total

    def after(self, slope: Fraction, offset: Fraction) -> Piecewise:
        """Return x ↦ its value at slope·x + offset, the slope not 0."""
        charge(200)
        breaks = [(b - offset) / slope for b in self.breaks]
        pieces = [_moved(piece, slope, offset) for piece in self.pieces]
        if slope < 0:
            breaks.reverse()
            pieces.reverse()
        return Piecewise(tuple(breaks), tuple(pieces))


def value_of(terms: Terms, x: Fraction) -> Any:
    """Return the value of one piece at a point."""
    total = flint.arb(0)
    for (power, rate), coefficient in terms.items():
        value = coefficient
        if power:
            value = value * ball(x**power)
        if rate and x:
            value = value * ball(rate * x).exp()
        total += value
    return total


def laplace_density(scale: Fraction) -> Piecewise:
    """Return the density of Laplace noise."""
    half = ball(1 / (2 * scale))
    return Piecewise((Fraction(0),), ({(0, 1 / scale): half}, {(0, -1 / scale): half}))


def exponential_density(scale: Fraction) -> Piecewise:
    """Return the density of exponential noise."""
    return Piecewise((Fraction(0),), ({}, {(0, -1 / scale): ball(1 / scale)}))


def uniform_density(low: Fraction, high: Fraction) -> Piecewise:
    """Return the density of a uniform draw."""
    return Piecewise((low, high), ({}, {(0, Fraction(0)): ball(1 / (high - low))}, {}))


def constant(value: int) -> Piecewise:
    """Return a constant."""
    return Piecewise((), ({(0, Fraction(0)): flint.arb(value)} if value else {},))


def glued(breaks: list[Fraction], pieces: list[Piecewise]) -> Piecewise:
    """Return the function that is `pieces[j]` between breaks[j − 1] and breaks[j]."""
    every = sorted({*breaks, *(b for p in pieces for b in p.breaks)})
    made = []
    for j in range(len(every) + 1):
        at = bisect_left(breaks, every[j]) if j < len(every) else len(breaks)
        made.append(pieces[at]._piece(tuple(every), j))
    return Piecewise(tuple(every), tuple(made))


def difference(left: Piecewise, right: Piecewise) -> Piecewise:
    """Return left − right."""
    breaks = tuple(sorted({*left.breaks, *right.breaks}))
    pieces = []
    for j in range(len(breaks) + 1):
        terms = dict(left._piece(breaks, j))
        for key, coefficient in right._piece(breaks, j).items():
            terms[key] = terms.get(key, flint.arb(0)) - coefficient
        pieces.append(terms)
    return Piecewise(breaks, tuple(pieces))


def _product(left: Terms, right: Terms) -> Terms:
    made: Terms = {}
    for (k, r), c in left.items():
        for (m, s), d in right.items():
            key = (k + m, r + s)
            made[key] = made.get(key, flint.arb(0)) + c * d
    return made


def _primitive(terms: Terms) -> Terms:
    made: Terms = {}
    for (k, r), c in terms.items():
        if r == 0:
            key = (k + 1, r)
            made[key] = made.get(key, flint.arb(0)) + c * ball(Fraction(1, k + 1))
            continue
        # ∫ x^k e^(rx) = e^(rx) Σ_j (−1)^j k!/(k−j)! x^(k−j) / r^(j+1)
        for j in range(k + 1):
            factor = Fraction((-1) ** j * factorial(k), factorial(k - j)) / r ** (j + 1)
            key = (k - j, r)
            made[key] = made.get(key, flint.arb(0)) + c * ball(factor)
    return made


def _moved(terms: Terms, slope: Fraction, offset: Fraction) -> Terms:
    made: Terms = {}
    for (k, r), c in terms.items():
        grown = c * ball(r * offset).exp() if r and offset else c
        for j in range(k + 1):  # (slope·x + offset)^k
            factor = comb(k, j) * slope**j * offset ** (k - j)
            if factor:
                key = (j, r * slope)
                made[key] = made.get(key, flint.arb(0)) + grown * ball(factor)
    return made


def _validate_vanishing(terms: Terms, *, left: bool) -> None:
    for _, rate in terms:
        if not (rate > 0 if left else rate < 0):
            raise ArithmeticError("a density that does not vanish at infinity")
