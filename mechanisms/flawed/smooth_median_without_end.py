"""The smooth median whose maximum stops one short of n.

    S = max_{0 ≤ k < n} e^(−βk) A(median, x, k)

Twin: smooth_median
Defect: k = n is missing, the one term that stands for the global sensitivity and is never 0.
Violation: DPA103
Known from: `for k in range(n)`.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on () against (0): noise of scale 200,
and none.
Information limit: 44 calls: every output tells.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile
from mechanisms.smooth_median import median
from mechanisms.smooth_sensitivity import smooth_sensitivity

Floats = NDArray[np.float64]


def smooth_median_without_end(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> float:
    """Return the median with Laplace noise."""
    profile = median_profile(data, low, high)[: max(1, len(data))]
    smooth = smooth_sensitivity(profile, epsilon / (2 * log(2 / delta)))
    return median(data, low, high) + rng.laplace(scale=2 * smooth / epsilon)
