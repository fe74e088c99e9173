"""The Laplace mechanism on a vector, with one noise for all entries.

    M(x) = f(x) + (Y, ..., Y),    Y ~ Lap(Δ/ε)

Twin: laplace
Defect: the noise is drawn once, so that differences of answers leave exactly.
Violation: DPA110
Known from: a scalar draw that broadcasts over an array (`size` forgotten).
True epsilon: infinite, on (0, 0) against (1, 0).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def laplace_shared_noise(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return all answers moved by the same noise."""
    return answers + rng.laplace(scale=sensitivity / epsilon)
