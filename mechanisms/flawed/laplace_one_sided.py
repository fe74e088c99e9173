"""The Laplace mechanism with noise of one sign.

    M(x) = x + Y,    Y exponential with mean Δ/ε

Twin: laplace
Defect: the noise is never negative, so that an output below an answer excludes it.
Violation: DPA106
Known from: noise that "must not make a count smaller", or the sign forgotten in the inversion.
True epsilon: infinite, with δ(1) = .632, on 0 against 1: only the former goes below 1.
Information limit: 116 calls.
"""

import numpy as np


def laplace_one_sided(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with exponential noise."""
    return answer + rng.exponential(scale=sensitivity / epsilon)
