"""Propose-test-release with a distance that thinks of added records alone.

    D = min {k : (u − l)/(n − k + 1) > b}

Twin: propose_test_release
Defect: adding a record moves the mean of n by (u − l)/(n + 1), but removing one by (u − l)/n. So D
is 1 too large, and 1 where the local sensitivity exceeds b already.
Violation: DPA105
Known from: courses that give u/(n + 1) as the local sensitivity of the mean.
True epsilon: 5.71 at δ = .05 where (4, .05) is claimed, on () against (100); δ(4) = .234.
Information limit: 14,400 calls.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.distance_to_instability import distance_to_instability
from mechanisms.propose_test_release import mean


def ptr_forgets_removal(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    bound: float = 50.0,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 4.0,
    delta: float = 0.05,
) -> float | None:
    """Return the noisy mean, or None where the bound may not hold."""
    profile = (high - low) / np.arange(len(data) + 1, 0, -1)
    distance = distance_to_instability(profile, bound)
    if distance + rng.laplace(scale=2 / epsilon) <= 2 * log(1 / (2 * delta)) / epsilon:
        return None
    return mean(data, low, high) + rng.laplace(scale=2 * bound / epsilon)
