"""The noisy sum of clipped values.

    M(x) = Σ clip(x_i, l, u) + Lap(max(|l|, |u|)/ε)

Theorem: M is (ε, 0)-differentially private (Laplace mechanism: Dwork & Roth 2014, Theorem 3.6).
Sensitivity: max(|l|, |u|), the most that one clipped record adds. The clip makes it hold for any
records, infinite and missing ones included: `fmax` counts NaN as l.
Relation: one record added or removed (replacement moves the sum by u − l).
Utility: variance 2 max(|l|, |u|)²/ε²; the clip biases it where records lie outside [l, u].
"""

import numpy as np
from numpy.typing import NDArray


def clipped_sum(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sum of the clipped records plus Laplace noise."""
    total = float(np.fmin(np.fmax(data, low), high).sum())
    return total + rng.laplace(scale=max(abs(low), abs(high)) / epsilon)
