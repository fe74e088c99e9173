"""A noisy sum over the first records, accounted as over a random sample.

    M(x) = Σ_{i ≤ m} clip(x_i, −1, 1) + Lap(2/ε),
    claimed with ln(1 + (m/n) (e^ε − 1)) for m/n = 2/10

Twin: subsampled_without_replacement
Defect: everybody knows who is in the sample.
Violation: DPA115
Known from: loaders with `shuffle=False`, and batches that were drawn once and published.
True epsilon: 1 where .295 is claimed, on ten records of −1 against nine and a first one of 1.
Information limit: 337 calls.
"""

import numpy as np
from numpy.typing import NDArray


def subsampled_first_rows(
    data: NDArray[np.float64], rng: np.random.Generator, *, size: int = 2, epsilon: float = 1.0
) -> float:
    """Return the sum over the first `size` clipped records plus Laplace noise."""
    clipped = np.fmin(np.fmax(data[:size], -1.0), 1.0)
    return float(clipped.sum()) + rng.laplace(scale=2 / epsilon)
