"""Report noisy max that also tells how large the maximum was.

    M(x) = max_i f_i(x) + Y_i,    Y_i ~ Lap(2/ε)

Twin: noisy_max
Defect: the noisy value leaves, which costs ε/2 for each answer, not the index, which costs ε.
Violation: DPA107
Known from: ReportNoisyMax3 of StatDP (Ding, Wang, Wang, Zhang & Kifer 2018, "incorrect").
True epsilon: 2.5 where 1 is claimed, kε/2 for k = 5, on 11111 against 22222.
Information limit: 2,550 calls.
"""

import numpy as np
from numpy.typing import NDArray


def noisy_max_value(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the largest noisy answer."""
    return float(np.max(answers + rng.laplace(scale=2 / epsilon, size=len(answers))))
