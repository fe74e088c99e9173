"""Sequential composition: all answers about the same records share one budget.

    M(x) = (f_1(x) + Lap(Δ_1/ε_1), ..., f_k(x) + Lap(Δ_k/ε_k)),    ε_1 + ... + ε_k = ε

Theorem: M is (ε, 0)-differentially private; the answers may even be chosen one after another, in
the light of those before (Dwork & Roth 2014, Theorem 3.16).
Sensitivity: Δ_i = 1; f_i counts the records that reach a threshold t_i, and ε_i = ε/k.
Relation: one record added or removed. One above all thresholds moves every count, which costs all
of ε.
Utility: unbiased, variance 2 (k/ε)² an answer.
"""

import numpy as np
from numpy.typing import NDArray

THRESHOLDS = np.array([25.0, 50.0, 75.0])


def counts_above(
    data: NDArray[np.float64], thresholds: NDArray[np.float64] = THRESHOLDS
) -> NDArray[np.int64]:
    """Return how many records reach each threshold; missing ones reach none."""
    return np.count_nonzero(data[:, None] >= thresholds, axis=0)


def sequential_composition(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    thresholds: NDArray[np.float64] = THRESHOLDS,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return all noisy counts, each with an equal share of epsilon."""
    k = len(thresholds)
    return counts_above(data, thresholds) + rng.laplace(scale=k / epsilon, size=k)
