"""The privacy profile of the discrete Gaussian mechanism, in certified balls."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import flint

from dpaudit.formal.price.balls import Ball, ball, rational
from dpaudit.formal.price.notions import Expr

MOST_TERMS = 20_000
MOST_STEPS = 50  # of distance
REACH = 20  # deviations, beyond which the weights together are below e^(-200)


def discrete_gaussian_delta(distance: int, variance: Fraction, epsilon: Expr) -> Ball | None:
    """Return an enclosure of delta(epsilon) of noise with weights w(z) = e^(-z²/2 variance).

    Parameters
    ----------
    distance : int
        By which the answer moves at most; the worst of all whole distances up to it is taken.
    variance : Fraction
    epsilon : Expr
        Closed and not negative.

    Returns
    -------
    Ball or None
        None where it takes more terms than are summed.

    Notes
    -----
    delta(epsilon) = sum over z of max(0, w(z) - e^epsilon w(z - d)) / sum of w. Beyond d/2 there is
    nothing to add, as w(z - d) >= w(z), and both ways around are mirror images. The ratio
    w(z + 1) / w(z) = e^(-(2z + 1)/2 variance) falls, so that beyond R the weights add up to at most
    w(R + 1) / (1 - e^(-(2R + 3)/2 variance)).

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke. The discrete Gaussian for differential privacy. NeurIPS 2020,
    Theorem 7.
    """
    reach = REACH * (isqrt(int(variance)) + 1)
    slope = ball(epsilon)
    few = distance <= MOST_STEPS and reach * (distance + 2) <= 4 * MOST_TERMS
    if slope is None or not slope >= 0 or not few or variance <= 0:
        return None

    def weight(z: int) -> Ball:
        return rational(Fraction(-z * z) / (2 * variance)).exp()

    beyond = weight(reach + 1) / (1 - rational(Fraction(-2 * reach - 3) / (2 * variance)).exp())
    tail = flint.arb(0).union(beyond)
    sizes = [weight(z) for z in range(reach + distance + 1)]
    mass = sizes[0] + 2 * sum(sizes[1 : reach + 1], flint.arb(0)) + 2 * tail
    worst = flint.arb(0)
    for d in range(1, distance + 1):
        excess = tail
        for z in range(-reach, d // 2 + 1):
            gain = sizes[abs(z)] - slope.exp() * sizes[abs(z - d)]
            excess += gain.max(flint.arb(0))
        worst = worst.max(excess / mass)
    return worst
