"""The noisy mode of added records, claimed for replaced ones.

    M(x) = argmax_j c_j + Lap(1/ε)

Twin: mode
Defect: a replaced record takes from one count and adds to another, and Claim 3.9 is on counts that
all move one way.
Violation: DPA105
Known from: report noisy max with Lap(1/ε), quoted without its condition.
True epsilon: 1.752 where 1 is claimed, on five equal records against four of them and another; it
tends to 2 where more records are far above both.
Information limit: 3,370 calls, on two and three records of two categories against one and four.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.mode import mode


def mode_replace(data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0) -> int:
    """Return the category with the largest noisy count."""
    return mode(data, rng, epsilon=epsilon, sensitivity=1.0)
