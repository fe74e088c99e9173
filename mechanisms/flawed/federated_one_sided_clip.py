"""A client of federated averaging that cuts its update off from above only.

    M(u) = min(u, C/√d) + N(0, σ² I),    σ = 2C/μ

Twin: federated_averaging
Defect: nothing bounds an entry from below; an update of −1000 moves the report by 1000.
Violation: DPA104
Known from: `np.minimum(update, clip)`, as for sums of values that are never negative.
True epsilon: grows without bound with the update; μ = 500 on (0, 0) against (−1000, 0), C = 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def federated_one_sided_clip(
    update: NDArray[np.float64], rng: np.random.Generator, *, clip: float = 1.0, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return what one client sends."""
    cut = np.minimum(update, clip / max(1, len(update)) ** 0.5)
    return cut + rng.normal(scale=2 * clip / mu, size=len(update))
