"""Continual counting by a factorization of the running sums into two equal roots.

    M(q) = A^½ (A^½ q + z),    z_i ~ N(0, σ²),    A = lower triangular ones,
    (A^½)_ij = c_(i−j),    c_0 = 1,    c_j = (1 − 1/(2j)) c_(j−1)

Theorem: with σ = √(Σ_{j < T} c_j²)/μ, M is μ-Gaussian DP, and not for any smaller μ: a
post-processing of the Gaussian mechanism that can be undone (Fichtenberger, Henzinger & Upadhyay
2023 for this factorization; Dong, Roth & Su 2019 for μ).
Sensitivity: √(Σ_{j < T} c_j²) in the L2 norm, the longest column of A^½, which is its first.
Relation: one entry of the stream changes, by at most 1; its length T is public.
Utility: unbiased, variance σ² Σ_{j < t} c_j² for the t-th sum; the last has about (ln(T)/π)²/μ².
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray


@cache
def root(size: int) -> NDArray[np.float64]:
    """Return the lower triangular Toeplitz matrix whose square is A, shape (size, size)."""
    j = np.arange(1, size)
    c = np.concatenate([np.ones(min(size, 1)), np.cumprod(1 - 1 / (2 * j))])
    lag = np.subtract.outer(np.arange(size), np.arange(size))
    return np.where(lag >= 0, c[np.maximum(lag, 0)] if size else 0.0, 0.0)


def matrix_factorization(
    answers: NDArray[np.float64], rng: np.random.Generator, *, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums."""
    half = root(len(answers))
    sigma = float(np.linalg.norm(half[:, :1])) / mu
    return half @ (half @ answers + rng.normal(scale=sigma, size=len(answers)))
