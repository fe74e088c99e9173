"""The noisy mean that spends all of epsilon on the sum and again on the count.

    M(x) = S / max(1, N),    S = Σ clip(x_i, l, u) + Lap(max(|l|, |u|)/ε),    N = |x| + Lap(1/ε)

Twin: mean
Defect: sum and count spend ε each, so that their quotient may spend 2ε.
Violation: DPA107
Known from: tutorials that call noisy sum over noisy count ε-differentially private.
True epsilon: 2 where 1 is claimed, on (0, 0) against (0, 0, 100).
Information limit: 5,960 calls.
"""

import numpy as np
from numpy.typing import NDArray


def mean_epsilon_twice(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the noisy sum over the noisy count."""
    magnitude = max(abs(low), abs(high))
    noisy_sum = float(data.clip(low, high).sum()) + rng.laplace(scale=magnitude / epsilon)
    noisy_count = len(data) + rng.laplace(scale=1 / epsilon)
    return noisy_sum / max(1.0, noisy_count)
