"""The noisy mean, where the size is public and where it is not.

    public size:   M(x) = Σ clip(x_i, l, u) / n + Lap((u − l)/(nε))
    private size:  M(x) = S / max(1, N),    S = Σ clip(x_i, l, u) + Lap(2 max(|l|, |u|)/ε),
                                            N = |x| + Lap(2/ε)

Theorem: both are (ε, 0)-differentially private; the second is a post-processing of S and N,
each of which spends ε/2 (Dwork & Roth 2014, Theorems 3.6 and 3.16, Proposition 2.1).
Sensitivity: (u − l)/n for the mean of n records; max(|l|, |u|) for the sum, 1 for the count. NaN
counts as l.
Relation: public size: one record replaced; private size: one record added or removed.
Utility: public size: unbiased on [l, u], variance 2 (u − l)²/(nε)². Private size, with scales b of
S and c of N: squared error E[(s² + 2b²)/max(1, N)²] − 2 (s/n) E[s/max(1, N)] + (s/n)², which falls
as 2 (b² + c²(s/n)²)/n² for large n.
"""

import numpy as np
from numpy.typing import NDArray


def mean_public_size(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the mean of the clipped records, whose number everybody knows, plus noise."""
    n = max(1, len(data))
    total = float(np.fmin(np.fmax(data, low), high).sum())
    return total / n + rng.laplace(scale=(high - low) / (n * epsilon))


def mean_private_size(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the noisy sum over the noisy count, each with half of epsilon."""
    magnitude = max(abs(low), abs(high))
    total = float(np.fmin(np.fmax(data, low), high).sum())
    noisy_sum = total + rng.laplace(scale=2 * magnitude / epsilon)
    noisy_count = len(data) + rng.laplace(scale=2 / epsilon)
    return noisy_sum / max(1.0, noisy_count)
