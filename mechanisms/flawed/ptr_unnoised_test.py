"""Propose-test-release that tests the distance as it is.

    M(x) = ⊥ if D(f, x, b) ≤ 2 ln(1/2δ)/ε, else f(x) + Lap(2b/ε)

Twin: propose_test_release
Defect: no noise on the distance: ⊥ tells on which side of the threshold it lies.
Violation: DPA108
Known from: the test taken for a check of assumptions, which need not be private.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on 26 records against 27: ⊥ on one side
alone, and always there.
Information limit: 44 calls: every output tells.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.distance_to_instability import distance_to_instability
from mechanisms.local_sensitivity import mean_profile
from mechanisms.propose_test_release import mean


def ptr_unnoised_test(
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
    if distance <= 2 * log(1 / (2 * delta)) / epsilon:
        return None
    return mean(data, low, high) + rng.laplace(scale=2 * bound / epsilon)
