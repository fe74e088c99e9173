"""The noisy count of the rows of a join.

    M(x) = |{(i, j) : x_i = x_j}| + Lap(1/ε)

Twin: count
Defect: a join multiplies rows: the record that is added matches itself and, twice, each of its
equals, and the noise pays for one row.
Violation: DPA105
Known from: counting queries over SQL joins (Johnson, Near & Song 2018 treat their sensitivity).
True epsilon: 15 where 1 is claimed, on seven equal records against eight; 2n + 1 on n equal ones.
Information limit: 44 calls.
"""

import numpy as np
from numpy.typing import NDArray


def count_after_join(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the number of matching pairs plus Laplace noise."""
    matches = int((data[:, None] == data).sum())
    return matches + rng.laplace(scale=1 / epsilon)
