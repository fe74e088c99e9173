"""A noisy count of a sample whose size is a share of the private number of records.

    M(x) = Σ_{i ∈ S} clip(x_i, 0, 1) + Lap(1/ε),    S uniform among the ⌊q|x|⌋-subsets, q = .2

Twin: subsampled_without_replacement
Defect: one more record can enlarge the sample for certain, whoever is in it.
Violation: DPA115
Known from: `batch_size = int(rate * len(data))`, a fixed size accounted as a Poisson one.
True epsilon: 1 where .295 is claimed, on four records of 1 against five.
Information limit: 337 calls.
"""

import numpy as np
from numpy.typing import NDArray


def subsampled_private_size(
    data: NDArray[np.float64], rng: np.random.Generator, *, rate: float = 0.2, epsilon: float = 1.0
) -> float:
    """Return the sum over a sample of a fifth of the records, plus Laplace noise."""
    sample = rng.permutation(data)[: int(rate * len(data))]
    return float(np.fmin(np.fmax(sample, 0.0), 1.0).sum()) + rng.laplace(scale=1 / epsilon)
