"""DPLloyd that spends all of epsilon in each round.

    as DPLloyd, with b = (d + 1)/ε

Twin: k_means
Defect: each of T rounds spends ε.
Violation: DPA107
Known from: loops around a private step whose budget is that of one step.
True epsilon: 3 where 1 is claimed, on () against (1, 1); T in general.
Information limit: 1,315 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.k_means import k_means


def k_means_epsilon_each_round(
    data: NDArray[np.void], rng: np.random.Generator, *, rounds: int = 3, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return the noisy sums and sizes of each round, shape (rounds, k, d + 1)."""
    return k_means(data, rng, rounds=rounds, epsilon=epsilon * rounds)
