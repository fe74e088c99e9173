"""The Laplace mechanism on a vector, with the generator reset before each answer.

    M(x) = (x_i + Y),    Y the first draw of Lap(Δ/ε) after a seed drawn once

Twin: laplace
Defect: a helper builds its generator from the run's seed at every call, so that all noises of a
run are equal and differences of answers leave exactly.
Violation: DPA110
Known from: functions with a parameter `seed` that are called in a loop (scikit-learn's
`random_state=seed` behaves so by design).
True epsilon: infinite, on (0, 0) against (1, 0).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def laplace_repeated_seed(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return each answer with the first noise after the same seed."""
    seed = int(rng.integers(2**32))
    scale = sensitivity / epsilon
    noises = [np.random.default_rng(seed).laplace(scale=scale) for _ in answers]
    return answers + np.array(noises)
