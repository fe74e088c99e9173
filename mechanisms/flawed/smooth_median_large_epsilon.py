"""The smooth median with Laplace noise at ε = 20.

    M(x) = x_⌈n/2⌉ + (2 S/ε) Lap(1),    S = S(median, x, β),  β = ε/(2 ln(2/δ))

Twin: smooth_median
Defect: the theorem is proved for ε ≤ 1; at δ = 1e-6 it fails for large ε.
Violation: DPA106
Known from: formulas copied without the range of ε in which they hold.
True epsilon: 21.6 at δ = 1e-6 where (20, 1e-6) is claimed, on () against (50); δ(20) = 5.0e-6.
Information limit: none: beside e^20 times a probability, no sample can tell it from 0.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.smooth_median import smooth_median


def smooth_median_large_epsilon(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 20.0,
    delta: float = 1e-6,
) -> float:
    """Return the median with Laplace noise."""
    return smooth_median(data, rng, low=low, high=high, epsilon=epsilon, delta=delta)
