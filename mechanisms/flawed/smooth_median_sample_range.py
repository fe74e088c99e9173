"""The smooth median whose datasets at distance k lie within the range of the sample.

    A(median, x, k) with x_0 = min x and x_{n+1} = max x in place of l and u

Twin: smooth_median
Defect: a new record may lie outside the range of those that are there.
Violation: DPA103
Known from: A(f, x, k) computed on the sample, without the bounds that a stranger's record obeys.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on (0) against (0, 100): no noise, and
noise of scale 200.
Information limit: 44 calls: every output tells.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile
from mechanisms.smooth_median import median
from mechanisms.smooth_sensitivity import smooth_sensitivity

Floats = NDArray[np.float64]


def smooth_median_sample_range(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> float:
    """Return the median with Laplace noise."""
    x = np.fmin(np.fmax(data, low), high)
    least, most = (float(x.min()), float(x.max())) if len(x) else (low, high)
    profile = median_profile(x, least, most)
    smooth = smooth_sensitivity(profile, epsilon / (2 * log(2 / delta)))
    return median(data, low, high) + rng.laplace(scale=2 * smooth / epsilon)
