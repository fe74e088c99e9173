"""The bound on a claim's own parameter that two probabilities of one event show."""

from __future__ import annotations

import math

from dpaudit.claims.region import Claim

_LARGEST = 2.0**10
_SMALLEST = 2.0**-30  # doubled from here at least: a claim of 0 would stay at 0
_STEPS = 60


def parameter_at_least(claim: Claim, p: float, q: float) -> float | None:
    """Return a lower bound on the parameter of every claim of this family that allows a point.

    Parameters
    ----------
    claim : Claim
        Names the family, and its parameters that are not varied, such as delta or the order.
    p : float
        Lower bound on the probability of an event on one dataset.
    q : float
        Upper bound on its probability on the neighbor.

    Returns
    -------
    float or None
        Rounded down; infinite where no parameter up to 1,024 allows the point. None where the
        claim has no parameter of its own.

    Notes
    -----
    A claim with trade-off function f allows the point exactly when 1 - p >= f(q), for pure,
    approximate and Gaussian DP (Dong, Roth & Su 2019, Definition 3). For Rényi DP and zCDP the
    same is necessary, so that the bound is valid, and may be below the truth.
    """
    if claim.parameter is None:
        return None

    def excluded(value: float) -> bool:
        return 1 - p < claim.with_parameter(value).beta(q)

    low, high = 0.0, max(claim.parameter[1], _SMALLEST)
    while excluded(high):
        low, high = high, 2 * high
        if high > _LARGEST:
            return math.inf if q == 0 else low
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if excluded(middle) else (low, middle)
    return low  # rounds down: the largest value that was excluded
