"""The median with noise that follows its local sensitivity.

    M(x) = x_⌈n/2⌉ + (2/ε) A(median, x, 0) Lap(1)

Twin: smooth_median
Defect: the maximum of the smooth sensitivity is taken at k = 0 alone.
Violation: DPA103
Known from: the local sensitivity taken for the global one; "the maximum is at k = 0" is taught.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on () against (0): noise of scale 200,
and none.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile
from mechanisms.smooth_median import median

Floats = NDArray[np.float64]


def smooth_median_at_zero(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the median with Laplace noise of the scale that hides the nearest neighbors."""
    local = median_profile(data, low, high)[0]
    return median(data, low, high) + rng.laplace(scale=2 * local / epsilon)
