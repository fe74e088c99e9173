"""The noisy mean with the sensitivity of one more record.

    M(x) = Σ clip(x_i, l, u) / n + Lap((u − l)/((n + 1)ε))

Twin: mean
Defect: (u − l)/(n + 1) is what a record that joins n others can move; one of the n that leaves or
is replaced moves the mean by (u − l)/n.
Violation: DPA105
Known from: derivations of the mean's sensitivity that add a record and never take one away.
True epsilon: 1.5 where 1 is claimed, on (0, 0) against (0, 100); (n + 1)/n in general.
Information limit: 1,010 calls.
"""

import numpy as np
from numpy.typing import NDArray


def mean_forgets_removal(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the mean of the clipped records, whose number everybody knows, plus noise."""
    n = max(1, len(data))
    total = float(np.fmin(np.fmax(data, low), high).sum())
    return total / n + rng.laplace(scale=(high - low) / ((n + 1) * epsilon))
