"""The exponential mechanism over finitely many candidates.

    Pr[M(x) = r] ∝ exp(ε u(x, r) / (2Δ))

Theorem: M is (ε, 0)-differentially private (McSherry & Talwar 2007; Dwork & Roth 2014,
Theorem 3.10).
Sensitivity: Δ = max |u(x, r) − u(x', r)| over candidates r and neighbors x, x'.
Relation: any that bounds Δ; the input here is the scores u(x, ·) of the candidates, and every
score may move by Δ.
Utility: with probability 1 − β the chosen score lies within (2Δ/ε) ln(k/β) of the best of k
(Corollary 3.12).
"""

import numpy as np
from numpy.typing import NDArray


def exponential(
    scores: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> int:
    """Return the index of a candidate, chosen in proportion to exp(ε u / 2Δ)."""
    exponents = epsilon * scores / (2 * sensitivity)
    weights = np.exp(exponents - exponents.max())  # the largest weight is 1: no overflow
    cumulated = weights.cumsum()
    return int(cumulated.searchsorted(rng.random() * cumulated[-1], side="right"))
