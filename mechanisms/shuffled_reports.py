"""Shuffled reports: n randomized responses in an order that says nothing.

    M(x) = (y_π(1), ..., y_π(n)),  y_i = x_i with probability e^ε₀/(e^ε₀ + 1), else 1 − x_i,
    π a uniform permutation

Theorem: (ε, δ)-differentially private with δ the largest hockey-stick divergence between
R_j ⊕ y(0) and R_j ⊕ y(1), R_j the number of ones that n − 1 others report when j of them hold 1:
the shuffled reports say no more than how many are 1. Also with ε = ln(1 + (e^ε₀ − 1)/(e^ε₀ + 1)
(8 √(e^ε₀ ln(4/δ)/n) + 8 e^ε₀/n)) if ε₀ ≤ ln(n/(16 ln(2/δ))), for every ε₀-private randomizer
(Feldman, McMillan & Talwar 2021, Theorem 3.1).
Sensitivity: none is used; one respondent's report changes.
Relation: one record replaced; the number of respondents is public.
Utility: the number of ones is estimated without bias, with variance n e^ε₀/(e^ε₀ − 1)².
"""

from math import exp, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray


def shuffled_reports(
    data: NDArray[np.int64], rng: np.random.Generator, *, local_epsilon: float = 1.0
) -> NDArray[np.int64]:
    """Return a randomized response of each respondent, in random order."""
    lies = rng.random(len(data)) > 1 / (1 + exp(-local_epsilon))
    return rng.permutation(data ^ lies)


def estimated_ones(reports: NDArray[np.int64], *, local_epsilon: float = 1.0) -> float:
    """Return how many respondents hold 1."""
    p = 1 / (1 + exp(-local_epsilon))
    return (float(reports.sum()) - len(reports) * (1 - p)) / (2 * p - 1)


def amplified_delta(n: int, local_epsilon: float, epsilon: float) -> float:
    """Return the smallest delta for epsilon; time grows with n³."""
    one = np.array([1.0, exp(local_epsilon)]) / (1 + exp(local_epsilon))  # by number of ones
    largest = 0.0
    for holders in range(n):
        others = np.ones(1)
        for i in range(n - 1):
            others = np.convolve(others, one if i < holders else one[::-1])
        left, right = np.convolve(others, one), np.convolve(others, one[::-1])
        for p, q in ((left, right), (right, left)):
            largest = max(largest, float(np.maximum(p - exp(epsilon) * q, 0).sum()))
    return largest * (1 + 1e-9)  # rounds up


def amplified_epsilon(n: int, local_epsilon: float, delta: float) -> float:
    """Return the epsilon of Theorem 3.1, the local one where it says nothing."""
    if local_epsilon > log(n / (16 * log(2 / delta))):
        return local_epsilon
    e = exp(local_epsilon)
    return log1p((e - 1) / (e + 1) * (8 * sqrt(e * log(4 / delta) / n) + 8 * e / n))
