"""Where floats must not be taken for the real numbers that a proof speaks of.

A proof leaves out that floats are rounded; each operation is off by 2^-53 of its result at most,
which nobody will see in a probability. Where large numbers cancel, numbers that are nearly equal
are told apart, or one that is nearly whole is cut off, what was left out decides. There is no proof
then: ``(1e16 + 3.0) - 1e16`` is 4.0, ``int(0.7 * 10)`` is 7.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpaudit.formal.clock import charge

CANCELLED = 2**20  # of the bits of an operand, those that a difference may lose
CLOSE = Fraction(1, 2**30)  # relative
LARGEST = 2**33  # times what a record changes, that a sum of floats may be
FAINT = Fraction(1, 2**24)  # floats of 1 − chance keep a smaller chance to less than 2^-29 of it
COIN = Fraction(1, 2**33)  # `Generator.random` has steps of 2^-53: a millionth of this and less
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


def keeps_chance(chance: Any) -> bool:
    """Return whether floats still tell a chance from 0 and from 1, and so its tail 1 − chance.

    Parameters
    ----------
    chance : number
        Whatever can be compared with fractions.
    """
    return bool(chance >= FAINT) and bool(chance <= 1 - FAINT)


def tosses(chance: Any) -> bool:
    """Return whether a draw of floats from [0, 1) falls below a threshold about that often.

    Parameters
    ----------
    chance : number
        The threshold, in (0, 1). Beside 1, its own float may have no place left.
    """
    charge(30)
    return bool(chance >= COIN) and bool(chance <= 1 - COIN)
