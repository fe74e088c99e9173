"""Running sums of noisy entries, for neighbors whose entries may all differ.

    s_t = Σ_{i ≤ t} (q_i + Lap_i(1/ε)),    |q_i − q_i'| ≤ 1 for every i

Twin: prefix_sums
Defect: the noise pays for one entry that changes, and all T may, which is T in the L1 norm.
Violation: DPA105
Known from: PrefixSum in the benchmark of DP-Sniper (Bichsel et al. 2021).
True epsilon: 10 where 1 is claimed, on ten entries of 0 against ten of 1.
Information limit: 74 calls.
"""

import numpy as np
from numpy.typing import NDArray


def prefix_sums_all_move(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums of entries with noise for one."""
    return np.cumsum(answers + rng.laplace(scale=1 / epsilon, size=len(answers)))
