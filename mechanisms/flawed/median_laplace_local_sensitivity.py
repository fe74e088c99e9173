"""The median with Laplace noise for its local sensitivity.

    M(x) = x_(m) + Lap(max(x_(m+1) − x_(m), x_(m) − x_(m−1))/ε),    n = 2m − 1 public

Twin: quantile
Defect: the scale is the distance to the records next to the median: private, and often 0.
Violation: DPA103
Known from: the standard example for why local sensitivity does not serve (Nissim, Raskhodnikova &
Smith 2007).
True epsilon: infinite, on (0, 0, 0, 0, 100) against (0, 0, 0, 100, 100).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def median_laplace_local_sensitivity(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the median (the upper one of an even number of records) plus Laplace noise."""
    x = np.array([low, *np.sort(np.fmin(np.fmax(data, low), high)), high])
    m = len(x) // 2
    return float(x[m]) + rng.laplace(scale=max(x[m + 1] - x[m], x[m] - x[m - 1]) / epsilon)
