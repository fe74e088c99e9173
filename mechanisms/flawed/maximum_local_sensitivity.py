"""The maximum with Laplace noise for the gap below it.

    M(x) = x_(n) + Lap((x_(n) − x_(n−1))/ε),    n public

Twin: quantile
Defect: the scale is what the maximum would lose with its record; the sample tells it, and a tie
at the top gets no noise.
Violation: DPA103
Known from: "the sensitivity of the maximum is how far the largest lies from the second".
True epsilon: infinite, on five zeros against four and a 100.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def maximum_local_sensitivity(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the largest of the clipped records plus Laplace noise."""
    second, largest = np.sort([low, low, *np.fmin(np.fmax(data, low), high)])[-2:]
    return float(largest) + rng.laplace(scale=(largest - second) / epsilon)
