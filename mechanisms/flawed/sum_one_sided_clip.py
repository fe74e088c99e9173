"""The noisy sum that is clipped from above only.

    M(x) = Σ min(x_i, u) + Lap(u/ε)

Twin: clipped_sum
Defect: nothing bounds a record from below, so that one of −10⁶ moves the sum by 10⁶.
Violation: DPA104
Known from: `clip(upper=u)` in tutorials on ages and incomes, which "are never negative".
True epsilon: grows without bound with the record; above 10,000 on () against (−10⁶).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def sum_one_sided_clip(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sum of the records, large ones clipped, plus Laplace noise."""
    total = float(data.clip(max=high).sum())
    return total + rng.laplace(scale=high / epsilon)
