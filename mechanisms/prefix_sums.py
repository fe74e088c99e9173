"""Partial and running sums of a stream, one entry of which is private.

    partial sum:   M(q) = Σ q_i + Lap(1/ε)
    running sums:  M(q) = (s_1, ..., s_T),    s_t = Σ_{i ≤ t} (q_i + Lap_i(1/ε))

Theorem: both are (ε, 0)-differentially private; the running sums are a post-processing of the
noisy entries (Dwork & Roth 2014, Theorem 3.6 and Proposition 2.1).
Sensitivity: 1 in the L1 norm, for the sum and for the entries alike.
Relation: one entry changes, by at most 1; if all may change, T of them cost Tε.
Utility: unbiased, variance 2/ε² for the partial sum and 2t/ε² for the t-th running sum.
"""

import numpy as np
from numpy.typing import NDArray


def partial_sum(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the sum of the stream plus Laplace noise."""
    return float(answers.sum()) + rng.laplace(scale=1 / epsilon)


def prefix_sums(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums of the noisy entries."""
    return np.cumsum(answers + rng.laplace(scale=1 / epsilon, size=len(answers)))
