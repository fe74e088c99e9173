"""When one claim is proved to contain another.

Approximate DP is decided by events, so the profile of any claim decides it. Rényi moments and
Gaussian curves are compared by their parameters. A function can be evaluated only here and
there, so it is implied only by regions with finitely many corners, and by itself.
"""

from __future__ import annotations

import numpy as np

from dpaudit.claims.conversion import concentrated_rho, gaussian_mu, pure_epsilon, renyi_bound
from dpaudit.claims.functional import TradeOff
from dpaudit.claims.gaussian import GaussianDP
from dpaudit.claims.pure import ApproxDP, PureDP
from dpaudit.claims.region import Claim
from dpaudit.claims.renyi import RenyiDP, ZeroConcentratedDP


def implies(claim: Claim, other: Claim) -> bool:
    """Return True only when `other` is proved to hold wherever `claim` does.

    Parameters
    ----------
    claim, other : Claim

    Returns
    -------
    bool
        False says "not proved", not "disproved".

    Raises
    ------
    TypeError
        Where `other` is not a claim.
    """
    if not isinstance(other, Claim):
        raise TypeError(f"`other` must be a claim, got {other!r}; give one such as PureDP(1.0)")
    if claim == other or pure_epsilon(claim) == 0:
        return True
    match other:
        case PureDP() | ApproxDP():
            return bool(claim.delta(other.epsilon) <= other.declared_delta)
        case GaussianDP():
            return _at_most(gaussian_mu(claim), other.mu)
        case ZeroConcentratedDP():
            return _at_most(concentrated_rho(claim), other.rho)
        case RenyiDP():
            return _at_most(renyi_bound(claim, other.order), other.epsilon)
        case TradeOff() if isinstance(claim, PureDP | ApproxDP):
            return _corners_inside(claim, other)
    return False


def _at_most(bound: float | None, allowed: float) -> bool:
    return bound is not None and bound <= allowed


def _corners_inside(claim: PureDP | ApproxDP, other: TradeOff) -> bool:
    """Return whether a convex trade-off region holds every corner of a polygon."""
    delta = claim.declared_delta
    # rounds down: f does not rise, so f is at most f(low) at the corner, where beta = alpha
    low = (1.0 - delta) / (1.0 + np.exp(np.minimum(claim.epsilon, 700.0))) * (1.0 - 1e-15)
    inner, edge, start = other._values(np.array([low, 1.0 - delta, 0.0])).tolist()
    return bool(inner <= low and edge <= 0 and start <= 1.0 - delta)
