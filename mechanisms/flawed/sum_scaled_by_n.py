"""The noisy sum that is scaled up from the sample to the population before the noise.

    M(x) = w Σ clip(x_i, l, u) + Lap(max(|l|, |u|)/ε),    w = 10

Twin: clipped_sum
Defect: with the sum its sensitivity grows w times, and the noise does not.
Violation: DPA105
Known from: survey weights, and the belief that a rescaled query keeps its sensitivity.
True epsilon: 10 where 1 is claimed, on () against (100).
Information limit: 45 calls.
"""

import numpy as np
from numpy.typing import NDArray


def sum_scaled_by_n(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    weight: float = 10.0,
    epsilon: float = 1.0,
) -> float:
    """Return the weighted sum of the clipped records plus Laplace noise."""
    total = weight * float(np.fmin(np.fmax(data, low), high).sum())
    return total + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
