"""Laws of whole numbers whose weights are e^q(|x|), for a polynomial q of degree two at most.

What a coin of chance e^(-p(x)) lets pass has the weights e^(q(x) - p(x)): to be accepted is a
condition, and a loop that draws anew until the coin is True returns the conditional law.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

ZERO = Fraction(0)
Polynomial = tuple[int, int, int]  # coefficients of 1, x and x squared


@dataclass(frozen=True, slots=True)
class Law:
    """Weights e^(slope |x| + bend x²) on a set of whole numbers.

    Attributes
    ----------
    support : {"below", "naturals", "integers"}
        From 0 to `count` - 1; from 0 on; all.
    slope, bend : Fraction
    count : int
    """

    support: Literal["below", "naturals", "integers"]
    slope: Fraction = ZERO
    bend: Fraction = ZERO
    count: int = 0

    @property
    def uniform(self) -> bool:
        """Whether all weights are equal."""
        return self.slope == self.bend == 0


def geometric(rate: Fraction) -> Law:
    """Return the law of how often a coin of chance e^(-rate) is True before it is False."""
    return Law("naturals", -rate)


def passed(law: Law, above: Polynomial, below: int) -> Law | None:
    """Return the law of an x that a coin of chance e^(-above(|x|)/below) let pass.

    None where the chance may be above 1 for an x.
    """
    if below < 1 or not _never_negative(above, law):
        return None
    _, linear, square = above
    return replace(
        law, slope=law.slope - Fraction(linear, below), bend=law.bend - Fraction(square, below)
    )


def _never_negative(p: Polynomial, law: Law) -> bool:
    constant, linear, square = p
    last = law.count - 1 if law.support == "below" else None
    if last is None and (square < 0 or (square == 0 and linear < 0)):
        return False
    points = {0} if last is None else {0, last}
    if square > 0:
        lowest = -linear // (2 * square)
        points |= {x for x in (lowest, lowest + 1) if x >= 0 and (last is None or x <= last)}
    return all(constant + linear * x + square * x * x >= 0 for x in points)


def joined(low: Law, high: Law, factor: int) -> Law | None:
    """Return the law of low + factor high, for independent ones; None where it has no such form.

    Notes
    -----
    With low in {0, ..., factor - 1} the sum n tells both, and its weight is
    e^(a low + b high) = e^(a n) where b = a factor.
    """
    fits = low.support == "below" and high.support == "naturals" and low.count == factor
    if not fits or low.bend or high.bend or high.slope != low.slope * factor:
        return None
    return Law("naturals", low.slope)


def floored(law: Law, by: int) -> Law | None:
    """Return the law of x // by: the weights of `by` neighbors, e^(a by k) times a constant."""
    if law.support != "naturals" or law.bend or by < 1:
        return None
    return replace(law, slope=law.slope * by)


def signed(law: Law) -> Law | None:
    """Return the law of a number with a fair sign, of whose two zeros one is drawn anew."""
    return replace(law, support="integers") if law.support == "naturals" else None
