"""Smooth sensitivity, the smallest smooth bound on local sensitivity.

    S(f, x, β) = max_{0 ≤ k ≤ n} e^(−βk) A(f, x, k),    M(x) = S(f, x, β) e^(βY),  Y ~ Lap(1/ε)

Theorem: S(f, x, β) ≤ e^β S(f, x', β) between neighbors (Nissim, Raskhodnikova & Smith 2007, on
smooth bounds), so that M is (ε, 0)-differentially private (Dwork & Roth 2014, Theorem 3.6).
Sensitivity: β for ln S. Both ends belong to the maximum: k = 0 is the local sensitivity of x, and
at k = n stands the global one, times e^(−βn).
Relation: one record added or removed, as in the profile A(f, x, ·).
Utility: the variance of ln M is 2 β²/ε².
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_sensitivity import median_profile

Floats = NDArray[np.float64]


def smooth_sensitivity(profile: Floats, beta: float) -> float:
    """Return S, given A(f, x, k) for k = 0, ..., n."""
    return float((np.exp(-beta * np.arange(len(profile))) * profile).max())


def noisy_smooth_sensitivity(
    data: Floats,
    rng: np.random.Generator,
    *,
    profile: Callable[[Floats, float, float], Floats] = median_profile,
    beta: float = 0.1,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return S with log-Laplace noise."""
    smooth = smooth_sensitivity(profile(data, low, high), beta)
    return smooth * float(np.exp(rng.laplace(scale=beta / epsilon)))
