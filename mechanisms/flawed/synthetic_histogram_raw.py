"""Synthetic records, drawn from the histogram without noise.

    p_j ∝ |{i : x_i = j}|;    M(x) = m draws of p

Twin: synthetic_histogram
Defect: drawing stands in for noise; a value that only one record has is drawn or is not.
Violation: DPA102
Known from: "synthetic data contain no real person", said of the bootstrap and of fitted tables.
True epsilon: infinite, on seven records of 0 against them and a 1.
Information limit: 95 calls.
"""

import numpy as np

from mechanisms.synthetic_histogram import Records, cells_at, counts


def synthetic_histogram_raw(
    data: Records, rng: np.random.Generator, *, cells: int = 5, size: int = 10
) -> Records:
    """Return `size` synthetic records."""
    return cells_at(rng.random(size), counts(data, cells).astype(float))
