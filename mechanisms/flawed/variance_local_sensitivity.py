"""The noisy variance with the sensitivity at the data.

    M(x) = s²(x) + Lap(LS(x)/ε),    LS(x) = max over i and y of |s²(x) − s²(x with x_i := y)|
         = max_i max((x_i − m_i)², max((u − m_i)², (l − m_i)²) − (x_i − m_i)²) / n,
    m_i the mean of all records but the i-th

Twin: variance
Defect: the scale is the local sensitivity, and tells how the data lie.
Violation: DPA103
Known from: local sensitivity taken for the global one; smooth sensitivity was made to mend this
(Nissim, Raskhodnikova & Smith 2007).
True epsilon: infinite, on (0, 0, 0, 0, 1) against (1, 0, 0, 0, 1).
Information limit: 2,030 calls.
"""

import numpy as np
from numpy.typing import NDArray


def variance_local_sensitivity(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 1.0,
    epsilon: float = 1.0,
) -> float:
    """Return the sample variance of the clipped records plus noise; 0 for fewer than two."""
    n = max(2, len(data))
    x = np.fmin(np.fmax(data, low), high)
    others = (x.sum() - x) / (n - 1)
    kept, farthest = (x - others) ** 2, np.maximum(high - others, others - low) ** 2
    local = np.maximum(kept, farthest - kept).max(initial=0.0) / n
    deviations = x - x.sum() / max(1, len(x))
    return float(deviations @ deviations) / (n - 1) + rng.laplace(scale=local / epsilon)
