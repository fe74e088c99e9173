"""The noisy sample variance of n records, whose number is public.

    M(x) = Σ (c_i − c̄)² / (n − 1) + Lap((u − l)²/(nε)),    c_i = clip(x_i, l, u)

Theorem: M is (ε, 0)-differentially private (Laplace mechanism: Dwork & Roth 2014, Theorem 3.6).
Sensitivity: (u − l)²/n, exactly. With m the mean of the other n − 1 records,
Σ (c_i − c̄)² = Σ_{i<n} (c_i − m)² + (n − 1)/n (c_n − m)², and the last term alone depends on c_n;
it lies between 0 and (n − 1)/n (u − l)², and reaches both where all others are l.
Relation: one record replaced.
Utility: variance 2 (u − l)⁴/(nε)² around the sample variance of the clipped records.
"""

import numpy as np
from numpy.typing import NDArray


def variance(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 1.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sample variance of the clipped records plus noise; 0 for fewer than two."""
    n = max(2, len(data))
    clipped = np.fmin(np.fmax(data, low), high)
    deviations = clipped - clipped.sum() / max(1, len(data))
    return float(deviations @ deviations) / (n - 1) + rng.laplace(
        scale=(high - low) ** 2 / (n * epsilon)
    )
