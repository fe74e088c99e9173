"""The noisy sum whose bound is the largest value in the data.

    M(x) = Σ x_i + Lap(max(1, x_1, ..., x_n)/ε)

Twin: clipped_sum
Defect: the scale of the noise is read off the data, and the largest record sets it alone.
Violation: DPA103
Known from: "clip to the maximum" as a way to choose the bound.
True epsilon: infinite, on () against (100): noise of scale 1 and of scale 100.
Information limit: 49 calls.
"""

import numpy as np
from numpy.typing import NDArray


def sum_empirical_bound(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the sum of non-negative records plus Laplace noise."""
    largest = float(data.max(initial=1.0))
    return float(data.sum()) + rng.laplace(scale=largest / epsilon)
