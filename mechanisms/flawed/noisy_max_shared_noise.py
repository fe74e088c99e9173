"""Report noisy max with one noise for all answers.

    M(x) = argmax_i f_i(x) + Y,    Y ~ Lap(2/ε)

Twin: noisy_max
Defect: the same noise on every answer leaves their order as it is: the exact winner is told.
Violation: DPA110
Known from: `rng.laplace(scale=2 / epsilon)` without `size`, which NumPy adds to each answer.
True epsilon: infinite, on 01111 against 10000.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def noisy_max_shared_noise(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the index of the largest answer."""
    return int(np.argmax(answers + rng.laplace(scale=2 / epsilon)))
