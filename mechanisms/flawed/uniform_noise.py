"""An answer with uniform noise that has the variance of the Laplace mechanism's.

    M(x) = x + U,    U uniform on [−√6 Δ/ε, √6 Δ/ε]

Twin: laplace
Defect: bounded noise excludes every answer that lies further off, whatever its variance.
Violation: DPA106
Known from: statistical offices' "perturbation within limits"; the belief that variance protects.
True epsilon: infinite, with δ(ε) = .204 for every ε, on 0 against 1.
Information limit: 216 calls.
"""

from math import sqrt

import numpy as np


def uniform_noise(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with bounded noise."""
    width = sqrt(6) * sensitivity / epsilon
    return answer + rng.uniform(-width, width)
