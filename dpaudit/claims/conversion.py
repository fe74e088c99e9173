"""Which claim of another family a claim contains; parameters round up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpaudit.claims.events import log_symmetric_moment
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import RenyiDP, ZeroConcentratedDP
from dpaudit.claims.rounding import scalar_up, smallest_float_at_least


def pure_epsilon(claim: Claim) -> float | None:
    """Return the epsilon of a claim that is pure DP, or says that nothing may change."""
    match claim:
        case PureDP():
            return claim.epsilon
        case ApproxDP() if claim.declared_delta == 0:
            return claim.epsilon
        case GaussianDP(mu=0) | ZeroConcentratedDP(rho=0) | RenyiDP(epsilon=0):
            return 0.0
    return None


def concentrated_rho(claim: Claim) -> float | None:
    """Return a rho such that the claim implies rho-zCDP; None where none is known.

    Notes
    -----
    mu^2 / 2 for Gaussian DP (it is dominated by a pair of Gaussians); for pure DP the lesser of
    epsilon^2 / 2 (Bun & Steinke 2016, Proposition 1.4) and epsilon (no Rényi divergence exceeds
    epsilon, and orders exceed 1).
    """
    epsilon = pure_epsilon(claim)
    if epsilon is not None:
        exact = Fraction(epsilon)
        return smallest_float_at_least(min(exact * exact / 2, exact))
    match claim:
        case ZeroConcentratedDP():
            return claim.rho
        case GaussianDP():
            return smallest_float_at_least(Fraction(claim.mu) ** 2 / 2)
    return None


def renyi_bound(claim: Claim, order: float) -> float | None:
    """Return a bound on the Rényi divergence of `order` that the claim implies, or None.

    Notes
    -----
    Rényi divergences do not fall with the order. For pure DP the largest is that of randomized
    response (Bun & Steinke 2016, Proposition 3.3).
    """
    epsilon = pure_epsilon(claim)
    if epsilon == 0:
        return 0.0
    if epsilon is not None:
        moment = log_symmetric_moment(np.array([order]), np.array([epsilon]))
        value = float(moment[0]) / (order - 1.0)
        return min(scalar_up(value, 16), epsilon)  # rounds up
    match claim:
        case RenyiDP() if claim.order >= order:
            return claim.epsilon
        case ZeroConcentratedDP():
            return smallest_float_at_least(Fraction(order) * Fraction(claim.rho))
        case GaussianDP():
            return smallest_float_at_least(Fraction(order) * Fraction(claim.mu) ** 2 / 2)
    return None


def gaussian_mu(claim: Claim) -> float | None:
    """Return a mu such that the claim implies mu-Gaussian DP, or None.

    Notes
    -----
    The region of pure DP has one corner off the diagonal, at type I and II error
    1 / (1 + e^epsilon); the Gaussian curve crosses that line at Phi(-mu / 2). A convex region
    holds the polygon when it holds its corners.
    """
    if isinstance(claim, GaussianDP):
        return claim.mu
    epsilon = pure_epsilon(claim)
    if epsilon is None:
        return None
    if epsilon == 0:
        return 0.0
    if epsilon > 700:
        return None
    from scipy.special import ndtri_exp

    mu = -2.0 * float(ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
    return scalar_up(max(mu, 0.0) * (1.0 + 1e-13) + 1e-15)  # rounds up
