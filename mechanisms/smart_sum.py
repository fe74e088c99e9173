"""SmartSum: running sums with noisy entries inside a block and noisy sums of whole blocks.

    s_t = Σ_{blocks that end by t} (their sum + Lap(2/ε)) + Σ_{later i ≤ t} (q_i + Lap(2/ε))

Theorem: it is (ε, 0)-differentially private: an entry reaches one noisy entry and one noisy block,
each of which spends ε/2 (the two-level counter of Chan, Shi & Song 2011).
Sensitivity: 1 for the entries and 1 for the block sums, each in the L1 norm.
Relation: one entry of the stream changes, by at most 1; its length is public.
Utility: unbiased, variance 8 (⌊t/M⌋ + t mod M)/ε² for the t-th sum and blocks of M.
"""

import numpy as np
from numpy.typing import NDArray


def smart_sum(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    block: int = 3,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return all running sums."""
    scale = 2 / epsilon
    sums = np.zeros(len(answers))
    finished = 0.0
    for start in range(0, len(answers), block):
        part = answers[start : start + block]
        sums[start : start + block] = finished + np.cumsum(
            part + rng.laplace(scale=scale, size=len(part))
        )
        if len(part) == block:
            finished += float(part.sum()) + rng.laplace(scale=scale)
            sums[start + block - 1] = finished
    return sums
