"""The mode, with random choice where categories are equally frequent.

    M(x) = a random j among those with c_j = max(c)

Twin: mode
Defect: only ties are random: where one category leads, it leaves without noise.
Violation: DPA101
Known from: randomness in an algorithm taken for privacy.
True epsilon: infinite, on (5) against (1, 5).
Information limit: 154 calls.
"""

import numpy as np
from numpy.typing import NDArray

RATINGS = np.arange(1, 6)


def mode_noise_on_ties(data: NDArray[np.int64], rng: np.random.Generator) -> int:
    """Return a category with the largest count."""
    counts = (data[:, None] == RATINGS).sum(axis=0)
    return int(rng.choice(RATINGS[counts == counts.max()]))
