"""Whether a price stays within a claim."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import sympy

from dpaudit.claims import ApproxDP, Claim, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.formal.price import total
from dpaudit.formal.price.balls import compared
from dpaudit.formal.price.gaussian import gaussian_exceeds
from dpaudit.formal.price.notions import Approximate, Expr, Gaussian, Price, Pure

ROUNDING = Fraction(1, 10**12)


class Fit(Enum):
    """How a price relates to a claim."""

    WITHIN = "within"
    ROUNDING = "exceeds the claim by rounding"
    EXCEEDS = "exceeds"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the comparison of a price with a claim found.

    Attributes
    ----------
    fit : Fit
        EXCEEDS says that the upper bound exceeds the claim, which refutes nothing by itself.
    spent, allowed : str
        The two sides, exact.
    rule : str
        The theorem that the comparison used.
    """

    fit: Fit
    spent: str
    allowed: str
    rule: str


def exact(value: float | int | Fraction) -> Expr:
    """Return a number of the program or of a claim as the rational that it is."""
    rational = Fraction(value)
    return sympy.Rational(rational.numerator, rational.denominator)


def against(price: Price, claim: Claim) -> Comparison:
    """Compare the price with the claim.

    Parameters
    ----------
    price : Price
    claim : Claim

    Returns
    -------
    Comparison
    """
    match claim:
        case PureDP():
            return _atmost(total.pure(price), exact(claim.epsilon), "sums of epsilon")
        case GaussianDP():
            return _atmost(total.gaussian(price), exact(claim.mu) ** 2, "sums of squares of mu")
        case ZeroConcentratedDP():
            return _atmost(total.concentrated(price), exact(claim.rho), "sums of rho")
        case RenyiDP():
            spent = total.renyi(price, exact(claim.order))
            return _atmost(spent, exact(claim.epsilon), "sums of Renyi divergences")
        case ApproxDP():
            return _approximately(price, exact(claim.epsilon), exact(claim.declared_delta))
    return _unknown(f"no theorem compares a price with {claim!r}")


def _unknown(why: str) -> Comparison:
    return Comparison(Fit.UNKNOWN, "", "", why)


def _atmost(spent: Expr | None, allowed: Expr, rule: str) -> Comparison:
    if spent is None:
        return _unknown("a part of the price has no bound in the claim's notion")
    return Comparison(_fit(spent, allowed), str(spent), str(allowed), rule)


def _fit(spent: Expr, allowed: Expr) -> Fit:
    """Compare two closed expressions; a relative excess below 1e-12 comes from rounding."""
    sign = compared(spent, allowed)
    if sign is not None and sign <= 0:
        return Fit.WITHIN
    slack = exact(ROUNDING)
    beyond = compared(spent, allowed * (1 + slack))
    if beyond is None:
        return Fit.UNKNOWN
    if beyond > 0:
        return Fit.EXCEEDS
    return Fit.ROUNDING


def _approximately(price: Price, epsilon: Expr, delta: Expr) -> Comparison:
    """Compare the price with (epsilon, delta).

    Pure and approximate parts are paid first, by basic composition; what is left of epsilon and
    delta goes to the Gaussian parts, whose profile is exact.
    """
    zero = sympy.Integer(0)
    own_epsilon = total.total(
        price, lambda p: p.epsilon if isinstance(p, Pure | Approximate) else zero
    )
    squared = total.total(price, lambda p: p.squared if isinstance(p, Gaussian) else zero)
    own_delta = total.total(price, lambda p: p.delta if isinstance(p, Approximate) else zero)
    assert own_epsilon is not None
    assert squared is not None
    assert own_delta is not None
    if not squared.is_zero:
        return _after_pure(own_epsilon, squared, own_delta, epsilon, delta)
    rule = "sums of epsilon and of delta"
    first = _atmost(own_epsilon, epsilon, rule)
    if own_delta.is_zero or first.fit is not Fit.WITHIN:
        return first
    second = _fit(own_delta, delta)
    return Comparison(second, f"({own_epsilon}, {own_delta})", f"({epsilon}, {delta})", rule)


def _after_pure(
    own_epsilon: Expr, squared: Expr, own_delta: Expr, epsilon: Expr, delta: Expr
) -> Comparison:
    rule = "what pure parts leave, by the exact Gaussian profile (Balle & Wang 2018, Theorem 8)"
    left, rest = epsilon - own_epsilon, delta - own_delta
    spent = f"mu^2 = {squared}, epsilon left {left}"
    if compared(left, sympy.Integer(0)) == -1 or compared(rest, sympy.Integer(0)) == -1:
        return Comparison(Fit.EXCEEDS, spent, f"({epsilon}, {delta})", rule)
    exceeds = gaussian_exceeds(squared, left, rest)
    fit = {None: Fit.UNKNOWN, False: Fit.WITHIN, True: Fit.EXCEEDS}[exceeds]
    if exceeds and not gaussian_exceeds(squared, left, rest * (1 + exact(ROUNDING))):
        fit = Fit.ROUNDING
    return Comparison(fit, spent, f"({epsilon}, {delta})", rule)
