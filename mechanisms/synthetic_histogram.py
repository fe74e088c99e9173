"""Synthetic records, drawn from a noisy histogram.

    p_j ∝ max(0, |{i : x_i = j}| + Lap(1/ε)), uniform if all are 0;    M(x) = m draws of p

Theorem: M is (ε, 0)-differentially private: the noisy histogram is (Dwork & Roth 2014, Theorem
3.6), and what is drawn from it is post-processing (Proposition 2.1), however many draws.
Sensitivity: 1 in the L1 norm for the histogram.
Relation: one record added or removed; the cells and m are public.
Utility: E‖p − x̂‖₁ ≤ 2k/(nε), x̂ the shares of the k cells among the n records, and the shares of
the draws lie within √(k/m) of p on average.
"""

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.int64]


def counts(data: Records, cells: int) -> NDArray[np.int64]:
    """Return how many records each cell holds; what lies in no cell counts for none."""
    return np.count_nonzero(data[:, None] == np.arange(cells), axis=0)


def cells_at(uniform: NDArray[np.float64], weights: NDArray[np.float64]) -> Records:
    """Return the cell of each number in [0, 1), cells as wide as their weights, or all equal."""
    cumulated = np.cumsum(weights if weights.any() else np.ones(len(weights)))
    return cumulated.searchsorted(uniform * cumulated[-1], side="right")


def synthetic_histogram(
    data: Records,
    rng: np.random.Generator,
    *,
    cells: int = 5,
    size: int = 10,
    epsilon: float = 1.0,
) -> Records:
    """Return `size` synthetic records in cells 0, ..., cells − 1."""
    noisy = counts(data, cells) + rng.laplace(scale=1 / epsilon, size=cells)
    return cells_at(rng.random(size), np.maximum(0.0, noisy))
