"""Where floats must not be taken for the real numbers that a proof speaks of.

A proof leaves out that floats are rounded; each operation is off by 2^-53 of its result at most,
which nobody will see in a probability. Where large numbers cancel, numbers that are nearly equal
are told apart, or one that is nearly whole is cut off, what was left out decides. There is no proof
then: ``(1e16 + 3.0) - 1e16`` is 4.0, ``int(0.7 * 10)`` is 7.
"""

from __future__ import annotations

import math
from fractions import Fraction

CANCELLED = 2**20  # of the bits of an operand, those that a difference may lose
CLOSE = Fraction(1, 2**30)  # relative
LARGEST = 2**33  # times what a record changes, that a sum of floats may be
FAINT = Fraction(1, 2**24)  # chances below it are lost in floats of 1 − chance: 1 − e^(−40) is 1
RATES = (Fraction(1, 2**22), 16)  # at which 1 − e^(−r) keeps r, up to `CLOSE` of it or of e^(−r)
_WHOLE = 2**53  # whole numbers up to this are floats, and so are their sums and differences


def cancels(a: Fraction, b: Fraction, result: Fraction) -> bool:
    """Return whether a sum of two numbers may be mostly rounding error.

    Parameters
    ----------
    a, b : Fraction
        Floats, as the real numbers that they stand for.
    result : Fraction
        Their sum or difference.
    """
    most = max(abs(a), abs(b))
    if most <= _WHOLE and (result == 0 or a.denominator == b.denominator == 1):
        return False
    return most > CANCELLED * abs(result)


def torn(a: Fraction, b: Fraction) -> bool:
    """Return whether two numbers differ by so little that their floats may be in another order."""
    return a != b and abs(a - b) <= CLOSE * max(abs(a), abs(b))


def nearly_whole(number: Fraction) -> bool:
    """Return whether a number is so near to a whole one that its float may be on the other side."""
    gap = abs(number - round(number))
    return bool(0 < gap <= CLOSE * max(Fraction(1), abs(number)))


def agrees(value: float, exact: Fraction | float) -> bool:
    """Return whether a float is the number that it stands for, up to rounding."""
    if not math.isfinite(value) or not math.isfinite(exact):
        return value == exact
    return abs(Fraction(value) - Fraction(exact)) <= CLOSE * abs(Fraction(exact))


def keeps_rate(rate: Fraction) -> bool:
    """Return whether the float of 1 − e^(−rate) still tells the rate, for 0 < rate."""
    return RATES[0] <= rate <= RATES[1]
