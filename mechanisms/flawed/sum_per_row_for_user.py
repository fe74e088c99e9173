"""The noisy sum with noise for a row where users are to be protected.

    M(x) = Σ clip(amount_i, l, u) + Lap(max(|l|, |u|)/ε)

Twin: clipped_sum
Defect: a user has up to five rows, and the noise pays for one.
Violation: DPA105
Known from: transaction tables; libraries bound the rows of a user for this reason (Wilson et al.
2020).
True epsilon: 5 where 1 is claimed, on () against a user with five rows of 100.
Information limit: 60 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.clipped_sum import clipped_sum


def sum_per_row_for_user(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the sum of the clipped amounts of all rows plus Laplace noise."""
    return clipped_sum(data["amount"], rng, epsilon=epsilon)
