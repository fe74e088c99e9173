"""The noisy histogram whose bins span the data.

    M(x) = noisy counts of k bins of equal width from min(x) to max(x)

Twin: histogram
Defect: one record at the end moves the edges, and with them the other records, between bins.
Violation: DPA109
Known from: `numpy.histogram(data, bins=k)`, which chooses the range itself.
True epsilon: 31 = 2·15 + 1 where 1 is claimed, on 15 records of 50 against these and a 100.
Information limit: 44 calls: almost every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def histogram_data_range(
    data: NDArray[np.float64], rng: np.random.Generator, *, k: int = 5, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return noisy counts of k bins between the least and the largest record."""
    low, high = data.min(initial=100.0), data.max(initial=0.0)
    edges = np.linspace(low, high, k + 1)[1:-1]
    counts = np.bincount(edges.searchsorted(data, side="right"), minlength=k)
    return counts + rng.laplace(scale=1 / epsilon, size=k)
