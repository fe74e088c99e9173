"""Propose-test-release whose test and answer spend ε each.

    M(x) = ⊥ if D(f, x, b) + Lap(1/ε) ≤ ln(1/2δ)/ε, else f(x) + Lap(b/ε)

Twin: propose_test_release
Defect: the test is an answer too; together they cost 2ε.
Violation: DPA107
Known from: courses that state (ε, δ) for it; Dwork & Roth (2014) state (2ε, δ).
True epsilon: 1.83 at δ = .01 where (1, .01) is claimed, on 22 records of 0 against 22 of 0 and one
of 100; δ(1) = .190.
Information limit: 1,380 calls.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.distance_to_instability import distance_to_instability
from mechanisms.local_sensitivity import mean_profile
from mechanisms.propose_test_release import mean


def ptr_overspent(
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
    if distance + rng.laplace(scale=1 / epsilon) <= log(1 / (2 * delta)) / epsilon:
        return None
    return mean(data, low, high) + rng.laplace(scale=bound / epsilon)
