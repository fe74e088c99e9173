"""The binary-tree counter: every running sum is made of few noisy sums of dyadic blocks.

    s_t = Σ_{j: bit j of t is 1} (b_j + Lap(h/ε)),    b_j = sum of the 2^j entries up to ⌊t/2^j⌋ 2^j

Theorem: it is (ε, 0)-differentially private for a stream of T entries and h = ⌊log₂ T⌋ + 1 levels:
an entry lies in at most one block a level (Chan, Shi & Song 2011; Dwork, Naor, Pitassi & Rothblum
2010).
Sensitivity: h in the L1 norm, for all block sums together.
Relation: one entry of the stream changes, by at most 1; T is public.
Utility: unbiased, variance 2 (h/ε)² times the number of ones in the binary digits of t.
"""

import numpy as np
from numpy.typing import NDArray


def tree_counter(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums."""
    levels = len(answers).bit_length()
    noise = rng.laplace(scale=levels / epsilon, size=len(answers)).tolist()
    sums, raw, noisy = [], [0.0] * levels, [0.0] * levels
    for t, x in enumerate(answers.tolist(), 1):
        j = (t & -t).bit_length() - 1  # the level of the block that t completes
        raw[j] = x + sum(raw[:j])
        raw[:j] = noisy[:j] = [0.0] * j
        noisy[j] = raw[j] + noise[t - 1]
        sums.append(sum(noisy))
    return np.array(sums)
