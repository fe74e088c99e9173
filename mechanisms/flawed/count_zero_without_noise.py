"""The noisy count that adds no noise to zero.

    M(x) = |x| + Lap(1/ε), and exactly 0 where |x| = 0

Twin: count
Defect: an early return skips the noise on one of two neighbors.
Violation: DPA108
Known from: short cuts for empty selections and sparse tables ("structural zeros").
True epsilon: infinite, on () against one record.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Sized

import numpy as np


def count_zero_without_noise(
    data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the number of records plus Laplace noise."""
    if len(data) == 0:
        return 0.0
    return len(data) + rng.laplace(scale=1 / epsilon)
