"""What a claim bounds, exactly, on an ordered pair of distributions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.claims import ApproxDP, Claim, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.formal.enumeration.divergence import (
    hockey_stick,
    largest_ratio,
    moment,
)
from dpaudit.formal.enumeration.measures import Distribution
from dpaudit.formal.enumeration.numbers import ball, compare, exp, logarithm, sign
from dpaudit.formal.unsupported import Unsupported

ROUNDING = Fraction(1, 10**12)
_ORDERS = (2, 3, 5, 9, 17)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What the claim bounds, on one ordered pair."""

    spent: Any  # None where it is infinite
    allowed: Any
    event: str
    mass: Any


def spent_on(left: Distribution, right: Distribution, claim: Claim) -> Side:
    """Return what a claim bounds, and its bound.

    Raises
    ------
    Unsupported
        For a claim of another kind, or one that is neither proved nor refuted here.
    """
    if isinstance(claim, PureDP):
        worst = largest_ratio(left, right)
        return Side(worst.ratio, exp(Fraction(claim.epsilon)), repr(worst.key), worst.mass)
    if isinstance(claim, ApproxDP):
        spent, event = hockey_stick(left, right, Fraction(claim.epsilon))
        words = f"{len(event)} outputs: {event[:4]!r}"
        return Side(spent, Fraction(claim.declared_delta), words, spent)
    if isinstance(claim, RenyiDP):
        order, epsilon = Fraction(claim.order), Fraction(claim.epsilon)
        spent = moment(left, right, order)
        return Side(spent, exp((order - 1) * epsilon), f"moment of order {order}", Fraction(1))
    if isinstance(claim, ZeroConcentratedDP):
        return _concentrated(left, right, Fraction(claim.rho))
    raise Unsupported(f"a claim of type {type(claim).__name__}")


def _concentrated(left: Distribution, right: Distribution, rho: Fraction) -> Side:
    """Compare by pure DP, which is enough; refute by moments of some orders."""
    worst, back = largest_ratio(left, right), largest_ratio(right, left)
    for order in _ORDERS:
        spent = moment(left, right, order)
        allowed = exp((order - 1) * rho * order)
        if spent is None or compare(spent, allowed) == 1:
            return Side(spent, allowed, f"moment of order {order}", Fraction(1))
    for found in (worst, back):
        if found.ratio is None or not _small_enough(found.ratio, rho):
            raise Unsupported("zCDP, where pure DP is not enough (Bun & Steinke 2016, Prop. 3.3)")
    return Side(Fraction(0), Fraction(0), "", Fraction(1))


def _small_enough(ratio: Any, rho: Fraction) -> bool:
    """Return whether ε²/2 <= rho for ε the logarithm of the ratio."""
    # Bun & Steinke 2016, Prop. 3.3: ε-DP implies (ε²/2)-zCDP
    power = logarithm(ratio)
    if power is not None:
        return power * power / 2 <= rho
    loss = ball(ratio, 200).log()
    return bool(loss * loss / 2 <= ball(rho, 200))


def exceeds(side: Side, claim: Claim) -> bool:
    """Return whether the claim fails; where rounding of its parameter decides, nobody knows."""
    if side.spent is None:
        return True
    order = compare(side.spent, side.allowed)
    if order in (-1, 0):
        return False
    if sign(side.allowed) > 0:
        epsilon = Fraction(getattr(claim, "epsilon", 1.0))
        if compare(side.spent, side.allowed * (1 + ROUNDING * max(Fraction(1), epsilon))) != 1:
            raise Unsupported(f"the claim {claim!r} is exceeded, but by rounding alone")
    return True
