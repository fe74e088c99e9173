"""Secure aggregation of clipped values whose noise comes in shares, though some clients drop out.

    M(x) = Σ_{i in S} (clip(x_i, 0, C) + N(0, σ²/t))  if |S| ≥ t, else nothing,    σ = C/μ

Theorem: the server sees the sum alone (Bonawitz et al. 2017), whose noise has variance
σ² |S|/t ≥ σ²; so it is μ-Gaussian DP (Dong, Roth & Su 2019), exactly μ where |S| = t. Who drops
out must not depend on the values.
Sensitivity: C, the most that one clipped value changes; missing ones count as 0.
Relation: the value of one client replaced. The set S of those who stay is public.
Utility: unbiased for the sum over S on [0, C], variance σ² |S|/t.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray


def secure_aggregation(
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
    shares = rng.normal(scale=clip / mu / least**0.5, size=len(stay))
    return float((np.fmin(np.fmax(values[stay], 0.0), clip) + shares).sum())
