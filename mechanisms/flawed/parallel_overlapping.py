"""Parallel composition over parts one of which contains the other.

    M(x) = (|{i : x_i ≥ 18}| + Lap(1/ε), |{i : x_i ≥ 65}| + Lap(1/ε))

Twin: parallel_composition
Defect: a record of 65 or more lies in both parts and pays in both.
Violation: DPA107
Known from: reports by age group such as "adults" and "65 and over", one budget for each.
True epsilon: 2 where 1 is claimed, on () against (100).
Information limit: 533 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.count import count


def parallel_overlapping(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[float, float]:
    """Return the noisy numbers of adults and of those of 65 and over."""
    adults, seniors = data[data >= 18], data[data >= 65]
    return count(adults, rng, epsilon=epsilon), count(seniors, rng, epsilon=epsilon)
