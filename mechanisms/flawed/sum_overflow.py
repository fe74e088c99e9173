"""The noisy sum that is added up in 32 bits.

    M(x) = (Σ clip(x_i, l, u) mod 2³²) + Lap(u/ε),    read as a number in [−2³¹, 2³¹)

Twin: clipped_sum
Defect: where the sum wraps, one record moves it by 2³² less what it adds.
Violation: DPA104
Known from: columns stored as int32, whose `sum(dtype=...)` or SQL SUM keeps the type.
True epsilon: 3.295 where 1 is claimed, on two records of 10⁹ against three.
Information limit: 99 calls.
"""

import numpy as np
from numpy.typing import NDArray


def sum_overflow(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    low: int = 0,
    high: int = 10**9,
    epsilon: float = 1.0,
) -> float:
    """Return the sum of the clipped integers plus Laplace noise."""
    total = data.clip(low, high).astype(np.int32).sum(dtype=np.int32)
    return float(total) + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
