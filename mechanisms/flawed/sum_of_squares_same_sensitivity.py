"""The noisy sum of squares with the noise of the sum.

    M(x) = Σ clip(x_i, l, u)² + Lap(max(|l|, |u|)/ε)

Twin: clipped_sum
Defect: a square moves the sum by up to max(l², u²).
Violation: DPA105
Known from: variances by way of Σx and Σx² that share one sensitivity.
True epsilon: 100 where 1 is claimed, on () against (100).
Information limit: 44 calls.
"""

import numpy as np
from numpy.typing import NDArray


def sum_of_squares_same_sensitivity(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sum of the squared clipped records plus Laplace noise."""
    total = float((np.fmin(np.fmax(data, low), high) ** 2).sum())
    return total + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
