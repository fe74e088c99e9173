"""Public numbers a + b·e^X: what the chance of a geometric draw is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import flint

from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.checker.exact.numbers import PRECISION, Number, keeps_chance
from dpaudit.checker.file import NotCheckedError


@dataclass(frozen=True, slots=True)
class Falling:
    """``plus + times · e^power``.

    Attributes
    ----------
    plus, times : Fraction
    power : Ratio
        Of parameters alone, and so the same in both runs.
    """

    plus: Fraction
    times: Fraction
    power: Ratio

    def negative(self) -> Falling:
        """Return minus it."""
        return replace(self, plus=-self.plus, times=-self.times)


def power_of_e(value: Any, plus: int, place: str) -> Falling:
    """Return ``e^value + plus``."""
    if not isinstance(value, Ratio):
        raise NotCheckedError(f"not checked: the exponential of this value at {place}")
    return Falling(Fraction(plus), Fraction(1), value)


def added(operation: str, a: Any, b: Any, place: str) -> Falling:
    """Return a + b or a - b, one of them a number that is known."""
    if operation == "sub":
        b = b.negative() if isinstance(b, Falling) else -b if isinstance(b, Ratio) else None
    for falling, other in ((a, b), (b, a)):
        known = other.constant if isinstance(other, Ratio) else None
        if known is None or abs(known) > 1:  # a large one swallows it in floats
            continue
        if operation in ("add", "sub") and isinstance(falling, Falling):
            return replace(falling, plus=falling.plus + known)
    raise NotCheckedError(f"not checked: {operation} of an exponential at {place}")


def scale_of_geometric(chance: Any, place: str) -> Ratio:
    """Return 1/r of a geometric draw that succeeds with chance 1 − e^(−r).

    Its law on 1, 2, … is (e^r − 1)·e^(−rk): it falls by exactly e^(rs) on a whole shift s >= 0.
    """
    if not isinstance(chance, Falling) or chance.plus != 1 or chance.times != -1:
        raise NotCheckedError(f"not checked: the chance of the geometric draw at {place}")
    if not chance.power.top:
        raise NotCheckedError(f"not checked: a geometric draw that never ends at {place}")
    known = chance.power.constant
    if known is not None and not _told(known):
        raise NotCheckedError(f"not checked: floats lose the rate of the noise at {place}")
    return Ratio.of(-1) / chance.power


def _told(power: Fraction) -> bool:
    """Whether floats tell the chance 1 − e^power."""
    with flint.ctx.workprec(PRECISION):
        return keeps_chance(1 - Number(power).exp())
