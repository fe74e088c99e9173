"""Continual counting by matrix factorization, with noise for the largest entry of the root.

    M(q) = A^½ (A^½ q + z),    z_i ~ N(0, σ²),    σ = max_ij |(A^½)_ij| / μ = 1/μ

Twin: matrix_factorization
Defect: one entry of the stream moves a whole column of A^½; its largest entry (the L∞ norm) is
taken where Gaussian noise needs its L2 norm.
Violation: DPA105
Known from: a hand-written calibration; "each coefficient is at most 1" is true and not enough.
True epsilon: infinite, as for every Gaussian; μ = 1.3109 where 1 is claimed, on eight entries
the first of which moves by 1.
Information limit: 1,390 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.matrix_factorization import root


def matrix_factorization_linf(
    answers: NDArray[np.float64], rng: np.random.Generator, *, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums."""
    half = root(len(answers))
    sigma = float(np.abs(half[:, :1]).max(initial=0.0)) / mu
    return half @ (half @ answers + rng.normal(scale=sigma, size=len(answers)))
