"""The least factor with which something holds, and numbers as people write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, isqrt, log10

LADDER = (2, 4, 8, 16, 64, 256, 1024, 10**4, 10**6, 10**10)
CLOSE = Fraction(201, 200)
ROOTS = 128


def least(
    holds: Callable[[str], bool],
    *,
    below_one: bool = False,
    ladder: Sequence[int] = LADDER,
    steps: int = 24,
) -> tuple[Fraction, Fraction] | None:
    """Return (lo, hi): it holds at hi, and not at lo; None where it holds at no factor tried.

    Parameters
    ----------
    holds : callable
        Takes a factor as an expression of Python; what holds at one factor is taken to hold at
        larger ones.
    below_one : bool
        Whether factors below 1 may do.
    ladder : sequence of int
        Factors to try first, in rising order.
    steps : int
        Halvings at most.
    """
    if not holds(str(ladder[-1])):
        return None
    if below_one and holds("1"):
        lower = (Fraction(1, k) for k in ladder)
        lo, hi = next(((x, Fraction(1)) for x in lower if not holds(written(x))), (None, None))
    else:
        hi = next(Fraction(k) for k in ladder if k == ladder[-1] or holds(str(k)))
        lo = max((Fraction(k) for k in (1, *ladder) if k < hi), default=Fraction(1))
    if lo is None or hi is None:
        return None  # it holds with any noise: that is not what it takes
    for _ in range(steps):
        if hi <= lo * CLOSE:
            break
        whole = hi.denominator == 1 and hi <= 2 * lo  # people like whole ones
        middle = hi / CLOSE if whole else _between(lo, hi)
        if holds(written(middle)):
            hi = middle
        else:
            lo = middle
    return lo, hi


def _between(lo: Fraction, hi: Fraction) -> Fraction:
    """Return a round number near the geometric mean, strictly between the two."""
    mean = Fraction(float(lo * hi) ** 0.5)
    if hi - lo >= 2:
        whole = Fraction(round(mean))
        if lo < whole < hi:
            return whole
    rounded = Fraction(f"{float(mean):.4g}")
    return rounded if lo < rounded < hi else mean


def spellings(lo: Fraction, hi: Fraction) -> Iterator[tuple[str, float]]:
    """Yield factors in (lo, hi], the simplest first, with their values; the last is hi.

    Whole numbers, fractions with a small denominator, square roots of whole numbers, and last
    three digits, rounded up.
    """
    for denominator in (1, 2, 4, 3, 5, 8):
        first, last = floor(lo * denominator) + 1, floor(hi * denominator)
        for p in range(first, min(last, first + 2) + 1):
            value = Fraction(p, denominator)
            if value.denominator == denominator:
                yield written(value), float(value)
    if hi * hi <= ROOTS:
        for k in range(floor(lo * lo) + 1, floor(hi * hi) + 1):
            if isqrt(k) ** 2 != k:
                yield f"{k}**0.5", k**0.5
    digits = 2 - floor(log10(hi))
    rough = Fraction(ceil(hi * Fraction(10) ** digits), 1) / Fraction(10) ** digits
    yield written(rough), float(rough)
    yield written(hi), float(hi)


def written(value: Fraction) -> str:
    """Return a number as an expression of Python: whole, decimal where that is short, or p / q."""
    if value.denominator == 1:
        return str(value.numerator)
    text = repr(float(value))
    if Fraction(text) == value and len(text) <= 6:
        return text
    if value.denominator <= 12:
        return f"{value.numerator} / {value.denominator}"
    return text
