"""The noisy histogram that ends at the largest value.

    M(x) = (c_0 + Y_0, ..., c_m + Y_m),    m = max(x)

Twin: histogram
Defect: the length of the output is the largest record.
Violation: DPA109
Known from: `numpy.bincount(data)` without `minlength`.
True epsilon: infinite, on () against (5).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def histogram_open_ended(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return a noisy count of each value from 0 to the largest."""
    counts = np.bincount(data)
    return counts + rng.laplace(scale=1 / epsilon, size=len(counts))
