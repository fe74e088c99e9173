"""A release with noise of so many percent.

    M(x) = x (1 + Y),    Y ~ Lap(1/ε)

Twin: laplace
Defect: the scale of the noise is |x|/ε, and 0 is released as it is.
Violation: DPA103
Known from: "multiply by a random factor", the noise multiplication of economic statistics.
True epsilon: infinite, on 0 against 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np


def laplace_relative_noise(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return one answer times a random factor."""
    return answer * (1 + rng.laplace(scale=1 / epsilon))
