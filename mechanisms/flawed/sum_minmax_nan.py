"""The noisy sum whose clip lets NaN through.

    M(x) = Σ min(max(x_i, l), u) + Lap(max(|l|, |u|)/ε)

Twin: clipped_sum
Defect: `minimum` and `maximum` pass NaN on, and one NaN makes the sum NaN.
Violation: DPA104
Known from: missing values in columns of floats; `numpy.clip` lets them through too.
True epsilon: infinite, on () against (NaN).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def sum_minmax_nan(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sum of the clipped records plus Laplace noise."""
    total = float(np.minimum(np.maximum(data, low), high).sum())
    return total + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
