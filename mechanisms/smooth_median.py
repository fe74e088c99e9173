"""The median with noise that follows its smooth sensitivity.

    M(x) = x_⌈n/2⌉ + (2 S/ε) Lap(1),       S = S(median, x, β),  β = ε/(2 ln(2/δ))
    M(x) = x_⌈n/2⌉ + (6 S/ε) Cauchy(0, 1),  S = S(median, x, β),  β = ε/6

Theorem: the first is (ε, δ)-differentially private for ε ≤ 1, the second (ε, 0)-differentially
private for every ε (Nissim, Raskhodnikova & Smith 2007, on admissible noise).
Sensitivity: S bounds what a neighbor moves the median by, and ln S itself moves by at most β.
Relation: one record added or removed.
Utility: variance 8 S²/ε² of the first; the second has none, and errs by more than 6 S/ε half of the
time. S is far below u − l where many records stand close to the median.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import bounded_order, median_profile
from mechanisms.smooth_sensitivity import smooth_sensitivity

Floats = NDArray[np.float64]


def median(data: Floats, low: float, high: float) -> float:
    """Return x_⌈n/2⌉ of the clipped records, l if there are none."""
    return float(bounded_order(data, low, high)[(len(data) + 1) // 2])


def smooth_median(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> float:
    """Return the median with Laplace noise."""
    smooth = smooth_sensitivity(median_profile(data, low, high), epsilon / (2 * log(2 / delta)))
    return median(data, low, high) + rng.laplace(scale=2 * smooth / epsilon)


def smooth_median_cauchy(
    data: Floats,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the median with Cauchy noise."""
    smooth = smooth_sensitivity(median_profile(data, low, high), epsilon / 6)
    return median(data, low, high) + 6 * smooth / epsilon * rng.standard_cauchy()
