"""The stability-based histogram that keeps every positive count.

    M(x) = {v: c_v + Y_v for v in x if c_v + Y_v > 0}

Twin: stability_histogram
Defect: no threshold, so that which values occur shows.
Violation: DPA109
Known from: noise on the counts of `groupby`, then a clean-up of negative counts.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on () against (3); δ(1) = .816.
Information limit: 84 calls.
"""

import numpy as np
from numpy.typing import NDArray


def stability_histogram_without_threshold(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
) -> dict[float, float]:
    """Return a noisy count for each value that occurs, where it is positive."""
    values, counts = np.unique(data + 0.0, return_counts=True)
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    kept = noisy > 0
    return dict(zip(values[kept].tolist(), noisy[kept].tolist(), strict=True))
