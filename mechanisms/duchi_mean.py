"""The mean of bounded numbers, each answered with one of two values.

    report B with probability 1/2 + x/(2B), else −B,  for x in [−1, 1],  B = (e^ε + 1)/(e^ε − 1)

Theorem: (ε, 0)-differentially private (Duchi, Jordan & Wainwright 2018, in one dimension).
Sensitivity: none is used; the probability of B lies in [1/(e^ε + 1), e^ε/(e^ε + 1)].
Relation: local, any two records; numbers outside [−1, 1] are clipped.
Utility: a report is unbiased for x, with variance B² − x²; so is the mean of n reports, with
variance B²/n − Σ x²/n².
"""

from math import exp

import numpy as np
from numpy.typing import NDArray


def duchi_mean(value: float, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return B or −B."""
    x = min(1.0, max(-1.0, value))  # in this order NaN becomes −1
    b = (exp(epsilon) + 1) / (exp(epsilon) - 1)
    return b if rng.random() < 1 / 2 + x / (2 * b) else -b


def estimated_mean(reports: NDArray[np.float64]) -> float:
    """Return the mean of the reports, 0 if there are none."""
    return float(reports.sum()) / max(1, len(reports))
