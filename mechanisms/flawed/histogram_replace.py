"""The noisy histogram of added records, claimed for replaced ones.

    M(x) = (c_1 + Y_1, ..., c_k + Y_k),    Y_j ~ Lap(1/ε)

Twin: histogram
Defect: a replaced record leaves a bin and enters another, and the noise pays for one of the two.
Violation: DPA105
Known from: a sensitivity of add/remove quoted for replacement ("the dataset changes by one").
True epsilon: 2 where 1 is claimed, on (10) against (90).
Information limit: 533 calls.
"""

import numpy as np
from numpy.typing import NDArray

EDGES = np.array([20.0, 40.0, 60.0, 80.0])


def histogram_replace(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    edges: NDArray[np.float64] = EDGES,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return noisy counts of len(edges) + 1 bins; the outer two are unbounded."""
    counts = np.bincount(edges.searchsorted(data, side="right"), minlength=len(edges) + 1)
    return counts + rng.laplace(scale=1 / epsilon, size=len(counts))
