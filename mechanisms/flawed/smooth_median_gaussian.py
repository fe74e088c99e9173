"""The smooth median with Gaussian noise of the scale that is right for Laplace noise.

    M(x) = x_⌈n/2⌉ + (2 S/ε) N(0, 1),    S = S(median, x, β),  β = ε/(2 ln(2/δ))

Twin: smooth_median
Defect: the standard deviation does not grow with ln(1/δ); Nissim, Raskhodnikova & Smith ask for
5 √(2 ln(2/δ)) S/ε.
Violation: DPA106
Known from: noise of another family put in the place of Laplace noise.
True epsilon: 1.70 at δ = 1e-4 where (1, 1e-4) is claimed, on () against (100); δ(1) = .00683.
Information limit: 49,000 calls.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile
from mechanisms.smooth_median import median
from mechanisms.smooth_sensitivity import smooth_sensitivity

Floats = NDArray[np.float64]


def smooth_median_gaussian(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    delta: float = 1e-4,
) -> float:
    """Return the median with Gaussian noise."""
    smooth = smooth_sensitivity(median_profile(data, low, high), epsilon / (2 * log(2 / delta)))
    return median(data, low, high) + rng.normal(scale=2 * smooth / epsilon)
