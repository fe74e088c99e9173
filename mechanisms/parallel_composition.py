"""Parallel composition: answers about disjoint parts of the records cost as much as one.

    M(x) = (M_1(x_1), ..., M_k(x_k)),    x_j = the records of x that lie in part j

Theorem: if every M_j is (ε, 0)-differentially private, so is M (McSherry 2009, on parallel
composition). A record's part depends on that record alone, never on its place or on others.
Sensitivity: here M_j is the clipped sum of part j, which a record moves by the part's largest
magnitude; missing values count as the last part's least.
Relation: one record added or removed. A replaced one leaves a part and enters another, which
costs 2ε.
Utility: unbiased on the range, variance 2 (b_j/ε)² for a part whose largest magnitude is b_j.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.clipped_sum import clipped_sum

BOUNDS = (0.0, 25.0, 50.0, 75.0, 100.0)


def parallel_composition(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    bounds: tuple[float, ...] = BOUNDS,
    epsilon: float = 1.0,
) -> tuple[float, ...]:
    """Return the noisy sum of each part; the outer two take what lies beyond the bounds."""
    part = np.searchsorted(bounds[1:-1], data, side="right")
    return tuple(
        clipped_sum(data[part == j], rng, low=bounds[j], high=bounds[j + 1], epsilon=epsilon)
        for j in range(len(bounds) - 1)
    )
