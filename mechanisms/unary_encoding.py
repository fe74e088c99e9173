"""Unary encoding: one bit for each possible value, each bit answered at random.

    B_i = 1[i = v];  report B'_i = 1 with probability p where B_i = 1, with q where B_i = 0;
    p = e^(ε/2)/(e^(ε/2) + 1),  q = 1 − p

Theorem: (ε, 0)-differentially private, ε = ln(p (1 − q)/((1 − p) q)) (Wang, Blocki, Li & Jha
2017, symmetric unary encoding; Erlingsson, Pihur & Korolova 2014 as basic one-time RAPPOR).
Sensitivity: two bits of B differ between any two values; each costs ε/2.
Relation: local, any two records.
Utility: the count of each value is unbiased; where nobody holds it, its variance is
n e^(ε/2)/(e^(ε/2) − 1)² (Wang, Blocki, Li & Jha 2017).
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from mechanisms import frequency_oracle


def probabilities(epsilon: float) -> tuple[float, float]:
    """Return p and q."""
    p = 1 / (1 + exp(-epsilon / 2))
    return p, 1 - p


def unary_encoding(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """Return k noisy bits, of which the one at the value is likelier to be 1."""
    p, q = probabilities(epsilon)
    return (rng.random(k) < np.where(np.arange(k) == value, p, q)).astype(np.int64)


def estimated_counts(reports: NDArray[np.int64], *, epsilon: float = 1.0) -> NDArray[np.float64]:
    """Return how many respondents hold each value; `reports` has a row for each of them."""
    p, q = probabilities(epsilon)
    return frequency_oracle.estimated_counts(reports.sum(axis=0), len(reports), p=p, q=q)
