"""Secure aggregation whose shares of noise suffice only if nobody drops out.

    M(x) = Σ_{i in S} (clip(x_i, 0, C) + N(0, σ²/n)),    σ = C/μ

Twin: secure_aggregation
Defect: the noise is divided by all n clients, and |S| < n of them deliver their share.
Violation: DPA106
Known from: distributed noise that is planned for full attendance.
True epsilon: infinite, as for every Gaussian; μ = 1.2247 where 1 is claimed, on six clients, two
of whom drop out, and one of those who stay moves from 0 to 1.
Information limit: 2,590 calls.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray


def secure_aggregation_all_shares(
    values: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    dropped: Collection[int] = (1, 4),
    least: int = 4,
    clip: float = 1.0,
    mu: float = 1.0,
) -> float | None:
    """Return the sum over the clients that stay; None where fewer than `least` do."""
    stay = [i for i in range(len(values)) if i not in dropped]
    if len(stay) < least:
        return None
    shares = rng.normal(scale=clip / mu / len(values) ** 0.5, size=len(stay))
    return float((np.fmin(np.fmax(values[stay], 0.0), clip) + shares).sum())
