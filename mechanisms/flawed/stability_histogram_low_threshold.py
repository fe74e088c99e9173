"""The stability-based histogram with a threshold that forgets the first record.

    T = ln(1/2δ)/ε

Twin: stability_histogram
Defect: the threshold is meant for a value that nobody has; one that occurs has a count of 1.
Violation: DPA106
Known from: thresholds derived for noise alone, without the count that it is added to.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on () against (3); δ(1) = .0272.
Information limit: 5,670 calls.
"""

from math import log

import numpy as np
from numpy.typing import NDArray


def stability_histogram_low_threshold(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> dict[float, float]:
    """Return a noisy count for each value that occurs often enough."""
    values, counts = np.unique(data + 0.0, return_counts=True)
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    kept = noisy > log(1 / (2 * delta)) / epsilon
    return dict(zip(values[kept].tolist(), noisy[kept].tolist(), strict=True))
