"""The median by the exponential mechanism, on the interval that the records span.

    density of M(x) at r ∈ [min x_i, max x_i] ∝ exp(ε u(x, r) / (2Δ))

Twin: exponential_segments
Defect: the interval's ends are records, and no answer lies beyond them.
Violation: DPA109
Known from: `low, high = data.min(), data.max()` where the domain has no natural bounds.
True epsilon: infinite, on () against (100), where nothing but the record itself is left.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.exponential_segments import exponential_segments


def exponential_segments_data_range(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return a number whose rank is close to the median's; 0 for the empty dataset."""
    low, high = min(data, default=0.0), max(data, default=0.0)
    if low == high:
        return float(low)
    return exponential_segments(data, rng, low=low, high=high, epsilon=epsilon)
