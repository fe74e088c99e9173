"""The stability-based histogram that compares the counts as they are.

    M(x) = {v: c_v + Y_v for v in x if c_v > T}

Twin: stability_histogram
Defect: no noise on the comparison: a value with just enough records shows which side it is on.
Violation: DPA109
Known from: small-cell suppression, with noise on what is left.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on four equal records against five.
Information limit: 44 calls: every output tells.
"""

from math import log

import numpy as np
from numpy.typing import NDArray


def stability_histogram_threshold_before_noise(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> dict[float, float]:
    """Return a noisy count for each value that occurs often enough."""
    values, counts = np.unique(data + 0.0, return_counts=True)
    kept = counts > 1 + log(1 / (2 * delta)) / epsilon
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    return dict(zip(values[kept].tolist(), noisy[kept].tolist(), strict=True))
