"""A noisy count of a bootstrap sample, which may hold a record many times.

    M(x) = Σ_{i ∈ S} clip(x_i, 0, 1) + Lap(1/ε),    S = n draws with replacement

Twin: subsampled_without_replacement
Defect: a record drawn k times moves the sum by k, and the noise pays for one.
Violation: DPA115
Known from: bagging, whose samples are "no larger than the data"; amplification by sampling with
replacement has a theorem of its own (Balle, Barthe & Gaboardi 2018).
True epsilon: 1.586 where 1 is claimed, on ten records of 0 against nine and one of 1.
Information limit: 7,300 calls.
"""

import numpy as np
from numpy.typing import NDArray


def subsampled_bootstrap(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the sum over as many draws as there are records, plus Laplace noise."""
    sample = data[rng.integers(len(data), size=len(data))] if len(data) else data
    return float(np.fmin(np.fmax(sample, 0.0), 1.0).sum()) + rng.laplace(scale=1 / epsilon)
