"""Numbers in certified balls, and comparisons that they decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint

Ball = Any  # flint.arb
PRECISIONS = (96, 256, 1024)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Let balls have so many bits."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def rational(value: Fraction | int) -> Ball:
    """Return the ball around an exact rational."""
    exact = value if type(value) is Fraction else Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def loss_at_least(p: Ball, q: Ball, delta: float = 0.0) -> float:
    """Return an epsilon with p > e^epsilon q + delta: the largest, rounded down; 0 for none.

    Parameters
    ----------
    p, q : Ball
        Probabilities of one event on two datasets.
    delta : float
    """
    excess = (p - rational(Fraction(delta))).lower()
    if not excess > 0:
        return 0.0
    most = q.upper()
    if not most > 0:
        return math.inf
    loss = (excess / most).log().lower()
    return max(0.0, math.nextafter(float(loss), -math.inf))  # rounds down


def sign(make: Callable[[], Ball]) -> int | None:
    """Return the sign of a number that `make` encloses at any precision; None if undecided."""
    for bits in PRECISIONS:
        with precision(bits):
            value = make()
            if value > 0:
                return 1
            if value < 0:
                return -1
    return None
