"""The distance to instability, with noise.

    D(f, x, b) = min {k : A(f, x, k) > b},    M(x) = D(f, x, b) + Lap(1/ε)

Theorem: M is (ε, 0)-differentially private (Dwork & Lei 2009; Dwork & Roth 2014, section 7.2,
Theorem 3.6), whatever the statistic f and the bound b.
Sensitivity: 1: a dataset that is D steps from x is at most D + 1 steps from a neighbor of x. Where
no dataset has a local sensitivity above b, D is infinite for all of them.
Relation: one record added or removed; D counts such steps from x itself, so that D = 0 where the
local sensitivity of x exceeds b already.
Utility: variance 2/ε².
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile

Floats = NDArray[np.float64]


def distance_to_instability(profile: Floats, bound: float) -> float:
    """Return D, given A(f, x, k) for k = 0, ..., n."""
    above = profile > bound
    return float(above.argmax()) if above[-1] else np.inf


def noisy_distance(
    data: Floats,
    rng: np.random.Generator,
    *,
    profile: Callable[[Floats, float, float], Floats] = median_profile,
    bound: float = 20.0,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return how many steps away a local sensitivity above the bound is, plus Laplace noise."""
    distance = distance_to_instability(profile(data, low, high), bound)
    return distance + rng.laplace(scale=1 / epsilon)
