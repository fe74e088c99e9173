"""The noisy mean that is published with the exact number of records.

    M(x) = (S / max(1, N), |x|),    S and N noisy

Twin: mean
Defect: the number of records leaves without noise.
Violation: DPA101
Known from: result tables with a column "n".
True epsilon: infinite, on any two neighbors.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def mean_raw_count(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> tuple[float, int]:
    """Return the noisy mean and the number of records."""
    magnitude = max(abs(low), abs(high))
    noisy_sum = float(data.clip(low, high).sum()) + rng.laplace(scale=2 * magnitude / epsilon)
    noisy_count = len(data) + rng.laplace(scale=2 / epsilon)
    return noisy_sum / max(1.0, noisy_count), len(data)
