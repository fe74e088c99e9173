"""The noisy count of distinct items, with noise for a row where users are to be protected.

    M(x) = |{items of all rows}| + Lap(1/ε)

Twin: count
Defect: a user has up to five rows with as many items, and the noise pays for one.
Violation: DPA105
Known from: "how many pages were visited?" on logs with a row a visit.
True epsilon: 5 where 1 is claimed, on () against a user with five different items.
Information limit: 60 calls.
"""

import numpy as np
from numpy.typing import NDArray


def count_distinct_per_user(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the number of distinct items plus Laplace noise."""
    return len(np.unique(data["item"])) + rng.laplace(scale=1 / epsilon)
