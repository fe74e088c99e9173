"""Propose-test-release: the mean with a proposed bound on its sensitivity, once that is tested.

    M(x) = ⊥ if D(f, x, b) + Lap(2/ε) ≤ 2 ln(1/2δ)/ε, else f(x) + Lap(2b/ε)

Theorem: M is (ε, δ)-differentially private (Dwork & Lei 2009; Dwork & Roth 2014, section 7.2, which
gives the test and the answer ε each and pays 2ε). Test and answer cost ε/2 each, whatever comes
out; where D = 0 the test passes with probability exactly δ, half of what the threshold 2 ln(1/δ)/ε
promises.
Sensitivity: 1 for D. Where D > 0 a neighbor moves f by at most b, and where it moves f by more than
b both have D = 0. Of n records, f moves by at most (u − l)/max(1, n), whether one is added or
removed (no (n + 1) here), if the mean of none lies in [l, u]; here it is l.
Relation: one record added or removed; δ < 1/2.
Utility: ⊥ with probability ½ e^(−(εD/2 − ln(1/2δ))) from D = 2 ln(1/2δ)/ε on, else unbiased on
[l, u] with variance 8 b²/ε².
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.distance_to_instability import distance_to_instability
from mechanisms.local_sensitivity import mean_profile


def mean(data: NDArray[np.float64], low: float, high: float) -> float:
    """Return the mean of the clipped records, l if there are none."""
    return low + float((np.fmin(np.fmax(data, low), high) - low).sum()) / max(1, len(data))


def propose_test_release(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    bound: float = 5.0,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> float | None:
    """Return the noisy mean, or None where the bound may not hold."""
    distance = distance_to_instability(mean_profile(data, low, high), bound)
    if distance + rng.laplace(scale=2 / epsilon) <= 2 * log(1 / (2 * delta)) / epsilon:
        return None
    return mean(data, low, high) + rng.laplace(scale=2 * bound / epsilon)
