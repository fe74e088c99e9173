"""The smooth median with too large a β.

    M(x) = x_⌈n/2⌉ + (2/ε) S(median, x, ε) Lap(1)

Twin: smooth_median
Defect: β = ε, where Laplace noise needs β = ε/(2 ln(2/δ)): the scale changes too fast.
Violation: DPA103
Known from: β and ε taken for one parameter; the sum of ε and β for a budget.
True epsilon: 6.12 at δ = .01 where (1, .01) is claimed, on () against (0); δ(1) = .197.
Information limit: 745 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile
from mechanisms.smooth_median import median
from mechanisms.smooth_sensitivity import smooth_sensitivity

Floats = NDArray[np.float64]


def smooth_median_wrong_beta(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the median with Laplace noise."""
    smooth = smooth_sensitivity(median_profile(data, low, high), epsilon)
    return median(data, low, high) + rng.laplace(scale=2 * smooth / epsilon)
