"""The binary-tree counter whose budget is divided by one level too few.

    s_t = Σ_{j: bit j of t is 1} (b_j + Lap(log₂(T)/ε)),    b_j = sum of 2^j entries

Twin: tree_counter
Defect: a tree over T = 2^m leaves has m + 1 levels, and the noise pays for m.
Violation: DPA107
Known from: "log T levels" in lecture notes, taken for their exact number.
True epsilon: 1.3333 where 1 is claimed, on eight entries the first of which moves by 1.
Information limit: 14,500 calls.
"""

import numpy as np
from numpy.typing import NDArray


def tree_counter_missing_level(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums."""
    levels = len(answers).bit_length()
    noise = rng.laplace(scale=max(1, levels - 1) / epsilon, size=len(answers)).tolist()
    sums, raw, noisy = [], [0.0] * levels, [0.0] * levels
    for t, x in enumerate(answers.tolist(), 1):
        j = (t & -t).bit_length() - 1  # the level of the block that t completes
        raw[j] = x + sum(raw[:j])
        raw[:j] = noisy[:j] = [0.0] * j
        noisy[j] = raw[j] + noise[t - 1]
        sums.append(sum(noisy))
    return np.array(sums)
