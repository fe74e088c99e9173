"""The partial sum with half the noise.

    M(q) = Σ q_i + Lap(1/(2ε))

Twin: prefix_sums
Defect: the scale is 1/(2ε) where one entry that changes by 1 needs 1/ε.
Violation: DPA106
Known from: BadPartialSum in the benchmark of ShadowDP (Wang et al. 2019) and CheckDP (Wang et al.
2020).
True epsilon: 2 where 1 is claimed, on any stream against itself with one entry moved by 1.
Information limit: 310 calls.
"""

import numpy as np
from numpy.typing import NDArray


def partial_sum_half_scale(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the sum of the stream plus half the noise it needs."""
    return float(answers.sum()) + rng.laplace(scale=1 / (2 * epsilon))
