"""Propose-test-release with half of the threshold.

    M(x) = ⊥ if D(f, x, b) + Lap(2/ε) ≤ ln(2/δ)/ε, else f(x) + Lap(2b/ε)

Twin: propose_test_release
Defect: where D = 0 the test passes with probability √(δ/8) instead of δ.
Violation: DPA106
Known from: the threshold ln(2/δ)/(2ε) that courses give for noise of scale 1/ε.
True epsilon: 9.34 at δ = .01 where (1, .01) is claimed, on () against (100); δ(1) = .0350.
Information limit: 1,930 calls.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.distance_to_instability import distance_to_instability
from mechanisms.local_sensitivity import mean_profile
from mechanisms.propose_test_release import mean


def ptr_low_threshold(
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
    if distance + rng.laplace(scale=2 / epsilon) <= log(2 / delta) / epsilon:
        return None
    return mean(data, low, high) + rng.laplace(scale=2 * bound / epsilon)
