"""A client of federated averaging that sends its update as long as it is.

    M(u) = u + N(0, σ² I),    σ = 2C/μ

Twin: federated_averaging
Defect: nothing shortens a long update, and the noise is made for updates of length C.
Violation: DPA104
Known from: `clip` given to the noise alone, on the assumption that training keeps updates small.
True epsilon: grows without bound with the update; μ = 500 on (0, 0) against (1000, 0), C = 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def federated_no_clip(
    update: NDArray[np.float64], rng: np.random.Generator, *, clip: float = 1.0, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return what one client sends."""
    return update + rng.normal(scale=2 * clip / mu, size=len(update))
