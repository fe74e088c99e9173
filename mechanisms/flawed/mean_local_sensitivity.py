"""The noisy mean whose noise shrinks with the private number of records.

    M(x) = Σ clip(x_i, l, u) / n + Lap((u − l)/(nε)),    n = max(1, |x|)

Twin: mean
Defect: n is private where records are added and removed, and the scale tells it.
Violation: DPA103
Known from: the local sensitivity of the mean taken for the global one.
True epsilon: infinite, on (0) against (0, 100): noise of scale 100 and of scale 50.
Information limit: 1,210 calls.
"""

import numpy as np
from numpy.typing import NDArray


def mean_local_sensitivity(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the mean of the clipped records plus Laplace noise."""
    n = max(1, len(data))
    return float(data.clip(low, high).sum()) / n + rng.laplace(scale=(high - low) / (n * epsilon))
