"""The noisy histogram over bins that are fixed beforehand.

    M(x) = (c_1 + Y_1, ..., c_k + Y_k),    c_j = |{i : x_i in bin j}|,    Y_j ~ Lap(Δ/ε)

Theorem: M is (ε, 0)-differentially private (Dwork & Roth 2014, Example 3.2).
Sensitivity: Δ = 1 in the L1 norm if a record is added or removed, 2 if one is replaced: a record
lies in one bin, and a replaced one leaves a bin and enters another.
Relation: add or remove with `sensitivity=1`, replace one with `sensitivity=2`.
Utility: unbiased, variance 2 (Δ/ε)² a bin.
"""

import numpy as np
from numpy.typing import NDArray

EDGES = np.array([20.0, 40.0, 60.0, 80.0])


def histogram(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    edges: NDArray[np.float64] = EDGES,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return noisy counts of len(edges) + 1 bins; the outer two are unbounded."""
    counts = np.bincount(edges.searchsorted(data, side="right"), minlength=len(edges) + 1)
    return counts + rng.laplace(scale=sensitivity / epsilon, size=len(counts))
