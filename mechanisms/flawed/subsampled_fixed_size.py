"""A noisy sum over a sample of fixed size, accounted as a Poisson sample.

    M(x) = Σ_{i ∈ S} clip(x_i, −1, 1) + Lap(1/ε),    S uniform among the m-subsets of {1, ..., n},
    claimed with ln(1 + q (e^ε − 1)) for q = m/n = 2/10, as records come and go

Twin: subsampled_without_replacement
Defect: a record that enters a sample of fixed size pushes another one out, so that the sum moves
by 2, and Poisson accounting pays for 1.
Violation: DPA115
Known from: libraries that draw batches of fixed size and account for Poisson ones; Lebeda, Regehr,
Kamath & Steinke (2024) on that pitfall.
True epsilon: .823 where .295 is claimed, on nine records of −1 and one of 1 against the nine.
Information limit: 2,940 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.subsampled_without_replacement import subsampled_without_replacement


def subsampled_fixed_size(
    data: NDArray[np.float64], rng: np.random.Generator, *, size: int = 2, epsilon: float = 1.0
) -> float:
    """Return the sum over a sample of fixed size, with noise for a sensitivity of 1."""
    return subsampled_without_replacement(data, rng, size=size, epsilon=2 * epsilon)
