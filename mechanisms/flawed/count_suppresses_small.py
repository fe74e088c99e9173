"""The noisy count that shows small cells as zero.

    M(x) = 0 where |x| < m, else |x| + Lap(1/ε),    m = 5

Twin: count
Defect: the comparison with m is made before the noise, on the private count itself.
Violation: DPA108
Known from: suppression of small cells in official tables, kept when noise was introduced.
True epsilon: infinite, on four records against five.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Sized

import numpy as np


def count_suppresses_small(
    data: Sized, rng: np.random.Generator, *, least: int = 5, epsilon: float = 1.0
) -> float:
    """Return the number of records plus Laplace noise, or 0 for fewer than `least`."""
    if len(data) < least:
        return 0.0
    return len(data) + rng.laplace(scale=1 / epsilon)
