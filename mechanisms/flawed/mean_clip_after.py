"""The noisy mean that is clipped in place of its records.

    M(x) = clip(Σ x_i / n, l, u) + Lap((u − l)/(nε))

Twin: mean
Defect: a record that nobody clips moves the mean from l to u, n times what the noise pays for.
Violation: DPA105
Known from: clipping the aggregate, which is shorter in data frames.
True epsilon: 5 where 1 is claimed, on four zeros and a zero against four zeros and a 10⁸.
Information limit: 60 calls.
"""

import numpy as np
from numpy.typing import NDArray


def mean_clip_after(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the clipped mean of the records, whose number everybody knows, plus noise."""
    n = max(1, len(data))
    clipped = min(max(float((data / n).sum()), low), high)
    return clipped + rng.laplace(scale=(high - low) / (n * epsilon))
