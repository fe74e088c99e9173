"""Synthetic records from a noisy histogram of the cells that occur.

    p_j ∝ max(0, |{i : x_i = j}| + Lap(1/ε)) for j in x, else 0;    M(x) = m draws of p

Twin: synthetic_histogram
Defect: a cell that only one record fills can be drawn with that record, and never without.
Violation: DPA109
Known from: `groupby` or `Counter` before the noise; "structural zeros" read off the data.
True epsilon: infinite, on seven records of 0 against them and a 1.
Information limit: 83 calls, on () against (0).
"""

import numpy as np

from mechanisms.synthetic_histogram import Records, cells_at, counts


def synthetic_histogram_occurring_cells(
    data: Records,
    rng: np.random.Generator,
    *,
    cells: int = 5,
    size: int = 10,
    epsilon: float = 1.0,
) -> Records:
    """Return `size` synthetic records in cells that occur."""
    exact = counts(data, cells)
    noisy = np.maximum(0.0, exact + rng.laplace(scale=1 / epsilon, size=cells))
    return cells_at(rng.random(size), np.where(exact > 0, noisy, 0.0))
