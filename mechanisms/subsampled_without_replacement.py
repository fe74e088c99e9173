"""A noisy sum over a sample of fixed size, drawn without replacement.

    M(x) = Σ_{i ∈ S} clip(x_i, −1, 1) + Lap(2/ε),    S uniform among the m-subsets of {1, ..., n}

Theorem: M is (ln(1 + (m/n) (e^ε − 1)), 0)-differentially private (Balle, Barthe & Gaboardi 2018,
Theorem 9), less than the ε that the sum over all records would spend.
Sensitivity: 2, for the sum of the sample, since samples of one size differ by replacement too.
Relation: one record replaced, n public; the sample must stay secret. Under add or remove another
theorem holds, and for Poisson samples as well.
Utility: n/m times the output is unbiased for the clipped sum, with variance
(n/m)² (m (1 − m/n) s² + 8/ε²), s² the variance of the clipped records with divisor n − 1.
"""

import numpy as np
from numpy.typing import NDArray


def subsampled_without_replacement(
    data: NDArray[np.float64], rng: np.random.Generator, *, size: int = 2, epsilon: float = 1.0
) -> float:
    """Return the sum over a sample of `size` clipped records plus Laplace noise."""
    sample = rng.permutation(data)[:size]
    clipped = np.fmin(np.fmax(sample, -1.0), 1.0)  # fmax and fmin turn NaN into a bound
    return float(clipped.sum()) + rng.laplace(scale=2 / epsilon)
