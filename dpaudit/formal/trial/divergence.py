"""Divergences of outputs that are known in closed form, and whether they exceed a claim."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import flint

from dpaudit.claims import ApproxDP, Claim, GaussianDP, RenyiDP, ZeroConcentratedDP
from dpaudit.formal.balls import Ball, rational, sign

ROUNDING = Fraction(1, 10**12)  # of a claim: what rounding explains


def gaussian_exceeds(squared: Fraction, claim: Claim) -> bool:
    """Return whether two Gaussian outputs at this squared distance mu^2 surely break a claim.

    Pure claims are left out: an event breaks them.

    References
    ----------
    J. Dong, A. Roth, W. Su 2019. M. Bun, T. Steinke 2016, Proposition 1.6.
    """
    match claim:
        case GaussianDP():
            return squared > _with_rounding(claim.mu) ** 2
        case ZeroConcentratedDP():
            return squared / 2 > _with_rounding(claim.rho)
        case RenyiDP():
            return Fraction(claim.order) * squared / 2 > _with_rounding(claim.epsilon)
        case ApproxDP():
            slope = Fraction(claim.epsilon)
            return sign(lambda: _excess(squared, slope, claim.declared_delta)) == 1
    return False


def laplace_exceeds(losses: Sequence[Fraction], claim: RenyiDP) -> bool:
    """Return whether independent Laplace outputs, so many scales apart each, surely break a claim.

    References
    ----------
    I. Mironov 2017, Proposition 6.
    """

    def gap() -> Ball:
        a = rational(Fraction(claim.order))
        total = flint.arb(0)
        for loss in map(rational, losses):
            up = a / (2 * a - 1) * ((a - 1) * loss).exp()
            down = (a - 1) / (2 * a - 1) * (-a * loss).exp()
            total += (up + down).log() / (a - 1)
        return total - rational(_with_rounding(claim.epsilon))

    return sign(gap) == 1


def halfspace(squared: Fraction, slope: Fraction) -> tuple[Ball, Ball]:
    """Return the two probabilities of the half-space where p − e^slope q is largest.

    References
    ----------
    B. Balle, Y.-X. Wang. Improving the Gaussian mechanism for differential privacy. ICML 2018,
    Theorem 8.
    """
    mu, e = rational(squared).sqrt(), rational(slope)

    def phi(x: Ball) -> Ball:  # the normal distribution function, accurate in its lower tail
        return (-x / flint.arb(2).sqrt()).erfc() / 2

    return phi(mu / 2 - e / mu), phi(-mu / 2 - e / mu)


def _excess(squared: Fraction, slope: Fraction, delta: float) -> Ball:
    p, q = halfspace(squared, slope)
    return p - rational(slope).exp() * q - rational(_with_rounding(delta))


def _with_rounding(allowed: float) -> Fraction:
    return Fraction(allowed) * (1 + ROUNDING)
