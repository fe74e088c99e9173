"""The power of draws: how many calls an event needs to contradict a claim."""

from __future__ import annotations

import math

from dpaudit.claims.region import Claim

CONFIDENCE = 0.95  # of both bounds together, by which a replay judges its counts
MISSED = 0.05  # of each of the two counts, at most, that is less telling than is reckoned with
_MOST = 10.0**12  # calls
_STEP = 1.2


def calls_to_show(claim: Claim, p: float, q: float) -> float:
    """Return how many calls on each dataset let the counts of an event contradict a claim.

    Parameters
    ----------
    claim : Claim
    p, q : float
        Probabilities of the event on the dataset where it is too likely, and on the other.

    Returns
    -------
    float
        A whole number, at most a fifth too large. Infinite where the claim allows the point, or
        more than 10^12 calls are needed.

    Notes
    -----
    The counts contradict the claim where Clopper-Pearson bounds with `CONFIDENCE` lie outside of
    its region. With this number of calls they do so with probability 0.9 at least.
    """
    planes = [
        (float(h.a), float(h.b), float(h.c)) for h in claim.half_planes() if h.a > 0 and h.b >= 0
    ]
    if not any(a * p - b * q > c for a, b, c in planes):
        return math.inf
    calls = max(1.0, math.floor(1 / p))
    while calls <= _MOST:
        low, high = _bounds(p, q, int(calls))
        if any(a * low - b * high > c for a, b, c in planes):
            return calls
        calls = math.ceil(_STEP * calls)
    return math.inf


def least_calls(claim: Claim, p: float, q: float, alpha: float = 1e-6) -> float:
    """Return the least expected calls after which any test refutes a claim by one event.

    Parameters
    ----------
    claim : Claim
    p, q : float
        Probabilities of the event on the dataset where it is too likely, and on the other.
    alpha : float
        Probability of a false refutation.

    Returns
    -------
    float
        Independent calls on both datasets together; infinite where the claim allows the point.

    Notes
    -----
    A sequential test needs 2 log(1/α) / D calls on average (Wald 1945), where D is the divergence
    of a pair of coins p and q to the nearest pair that the claim allows. Of several half-planes
    the farthest counts.

    Examples
    --------
    >>> from dpaudit import PureDP
    >>> round(least_calls(PureDP(1.0), 0.1, 0.1 * math.exp(-2)))
    3487
    """
    planes = [(float(h.a), float(h.b), float(h.c)) for h in claim.half_planes()]
    broken = [h for h in planes if h[0] * p - h[1] * q > h[2]]
    farthest = max((_divergence(p, q, *h) for h in broken), default=0.0)
    return 2 * math.log(1 / alpha) / farthest if farthest > 0 else math.inf


def _divergence(p: float, q: float, a: float, b: float, c: float) -> float:
    """Return the least divergence of two coins to a pair on the line a p - b q = c."""

    def to(near: float) -> float:
        other = (a * near - c) / b
        if not (0 <= near <= 1 and 0 <= other <= 1):
            return math.inf
        return _coin(p, near) + _coin(q, other)

    low, high = sorted((p, (b * q + c) / a))  # moving either coin alone is no nearer than between
    for _ in range(200):
        third = (high - low) / 3
        if to(low + third) <= to(high - third):
            high -= third
        else:
            low += third
    return to((low + high) / 2)


def _coin(mine: float, other: float) -> float:
    """Return the divergence of a coin to another."""
    total = 0.0
    for one, two in ((mine, other), (1 - mine, 1 - other)):
        if one > 0:
            total += one * math.log(one / two) if two > 0 else math.inf
    return total


def _bounds(p: float, q: float, calls: int) -> tuple[float, float]:
    """Return the bounds by counts of which hardly any are less telling."""
    from scipy.special import betaincinv

    level = (1 - CONFIDENCE) / 2
    left = math.floor(_quantile(MISSED, calls, p))
    right = math.ceil(_quantile(1 - MISSED, calls, q))
    low = float(betaincinv(left, calls - left + 1, level)) if left > 0 else 0.0
    return low, float(betaincinv(right + 1, calls - right, 1 - level)) if right < calls else 1.0


def _quantile(level: float, calls: int, probability: float) -> float:
    """Return a quantile of a binomial law, between whole numbers."""
    from scipy.special import bdtrik

    if probability >= 1:
        return calls
    found = float(bdtrik(level, calls, probability))
    return 0.0 if math.isnan(found) else found  # a probability beyond the floats of the function
