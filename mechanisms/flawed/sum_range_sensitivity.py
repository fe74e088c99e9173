"""The noisy sum whose noise pays for the width of the range.

    M(x) = Σ clip(x_i, l, u) + Lap((u − l)/ε)

Twin: clipped_sum
Defect: a record that is added moves the sum by up to max(|l|, |u|), not by u − l.
Violation: DPA105
Known from: tutorials that clip to [100, 125] and take 25; it is right for replaced records.
True epsilon: 5 = 125/25 where 1 is claimed, on () against (125).
Information limit: 60 calls.
"""

import numpy as np
from numpy.typing import NDArray


def sum_range_sensitivity(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 100.0,
    high: float = 125.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sum of the clipped records plus Laplace noise."""
    total = float(data.clip(low, high).sum())
    return total + rng.laplace(scale=(high - low) / epsilon)
