"""A noisy sum of a Poisson sample that comes with the size of the sample.

    M(x) = (Σ_{i ∈ S} clip(x_i, 0, 1) + Lap(1/ε), |S|),    S keeps each record with probability q

Twin: subsampled
Defect: the size of the batch is released as it is.
Violation: DPA101
Known from: training logs that print the batch sizes of Poisson sampling.
True epsilon: infinite, on () against one record.
Information limit: 232 calls at the claim ln(1 + q (e − 1)) = .295.
"""

import numpy as np
from numpy.typing import NDArray


def subsampled_batch_size(
    data: NDArray[np.float64], rng: np.random.Generator, *, rate: float = 0.2, epsilon: float = 1.0
) -> tuple[float, int]:
    """Return the noisy sum of the sample, and how many records are in it."""
    sample = data[rng.random(len(data)) < rate]
    total = float(np.fmin(np.fmax(sample, 0.0), 1.0).sum())
    return total + rng.laplace(scale=1 / epsilon), len(sample)
