"""The noisy count, rounded and returned in the number type of its column.

    M(x) = T(round(|x| + Lap(1/ε))),    T = float if a record is missing, else int

Twin: count
Defect: 3.0 instead of 3 says that some record is missing.
Violation: DPA109
Known from: data frames, where one missing entry turns a column of integers into one of floats.
True epsilon: infinite, on () against a missing record.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def count_type_of_column(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the rounded number of records plus Laplace noise."""
    kind = float if np.isnan(data).any() else int
    return kind(round(len(data) + rng.laplace(scale=1 / epsilon)))
