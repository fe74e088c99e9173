"""The noisy histogram whose noise has scale ε.

    M(x) = (c_1 + Y_1, ..., c_k + Y_k),    Y_j ~ Lap(ε)

Twin: histogram
Defect: the scale is ε where the theorem needs 1/ε.
Violation: DPA106
Known from: NoisyHist2 of StatDP (Ding, Wang, Wang, Zhang & Kifer 2018, "incorrect").
True epsilon: 10 = 1/ε where .1 is claimed, on () against (10).
Information limit: 22 calls.
"""

import numpy as np
from numpy.typing import NDArray

EDGES = np.array([20.0, 40.0, 60.0, 80.0])


def histogram_inverted_scale(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    edges: NDArray[np.float64] = EDGES,
    epsilon: float = 0.1,
) -> NDArray[np.float64]:
    """Return noisy counts of len(edges) + 1 bins; the outer two are unbounded."""
    counts = np.bincount(edges.searchsorted(data, side="right"), minlength=len(edges) + 1)
    return counts + rng.laplace(scale=epsilon, size=len(counts))
