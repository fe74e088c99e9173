"""The binary-tree counter with one noise for all of its blocks.

    s_t = Σ_{j: bit j of t is 1} (b_j + Y),    Y ~ Lap(h/ε)

Twin: tree_counter
Defect: the noise is drawn once, so that s_1 and s_2 = b_1 + Y differ by the second entry itself.
Violation: DPA110
Known from: a draw that was moved out of the loop over the levels, to save time.
True epsilon: infinite, on streams of two entries or more, the second of which moves by 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def tree_counter_shared_noise(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums."""
    levels = len(answers).bit_length()
    noise = [rng.laplace(scale=levels / epsilon)] * len(answers)
    sums, raw, noisy = [], [0.0] * levels, [0.0] * levels
    for t, x in enumerate(answers.tolist(), 1):
        j = (t & -t).bit_length() - 1  # the level of the block that t completes
        raw[j] = x + sum(raw[:j])
        raw[:j] = noisy[:j] = [0.0] * j
        noisy[j] = raw[j] + noise[t - 1]
        sums.append(sum(noisy))
    return np.array(sums)
