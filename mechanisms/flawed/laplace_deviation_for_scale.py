"""The Laplace mechanism with standard deviation Δ/ε.

    M(x) = x + Lap(Δ/(√2 ε))

Twin: laplace
Defect: Δ/ε is the scale that the theorem needs, and stands for the deviation, √2 times as large.
Violation: DPA106
Known from: one helper for Laplace and Gaussian noise that is told a standard deviation.
True epsilon: 1.4142 where 1 is claimed, on 0 against 1.
Information limit: 1,420 calls.
"""

from math import sqrt

import numpy as np


def laplace_deviation_for_scale(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with noise of standard deviation Δ/ε."""
    return answer + rng.laplace(scale=sensitivity / epsilon / sqrt(2))
