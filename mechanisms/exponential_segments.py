"""The exponential mechanism over an interval, with a score that is constant on segments: a median.

    u(x, r) = −| |{i : x_i < r}| − n/2 |,    density of M(x) at r ∈ [l, h] ∝ exp(ε u(x, r) / (2Δ))

The n records cut the interval into n + 1 segments. One of them is chosen with probability
proportional to its length times exp(ε u / 2Δ), then a point of it uniformly.

Theorem: M is (ε, 0)-differentially private (McSherry & Talwar 2007; for quantiles Smith 2011).
Sensitivity: Δ = 1/2: a record moves the count by 0 or 1, and n/2 by 1/2. Records are clipped, NaN
to l.
Relation: one record added or removed (replacement moves u by 1).
Utility: the rank of the answer misses n/2 by t with probability proportional to the length of its
segment times exp(−εt).
"""

import numpy as np
from numpy.typing import NDArray


def exponential_segments(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return a number of [low, high] whose rank is close to the median's."""
    n = len(data)
    ends = np.concatenate([[low], np.sort(np.fmin(np.fmax(data, low), high)), [high]])
    lengths = np.diff(ends)
    possible = np.flatnonzero(lengths > 0)
    exponents = np.log(lengths[possible]) - epsilon * np.abs(possible - n / 2)  # 2Δ = 1
    cumulated = np.exp(exponents - exponents.max()).cumsum()
    i = possible[cumulated.searchsorted(rng.random() * cumulated[-1], side="right")]
    return rng.uniform(ends[i], ends[i + 1])
