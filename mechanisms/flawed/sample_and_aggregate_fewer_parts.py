"""Sample and aggregate whose mean is over the parts that have records.

    M(x) = Σ z_j / k' + Lap((u − l)/(kε)),    k' = the number of parts with records

Twin: sample_and_aggregate
Defect: the noise counts on k parts; k' may be fewer, down to one, and depends on the data.
Violation: DPA105
Known from: a mean of what `groupby` or chunks of size ⌈n/k⌉ return: of 101 records in chunks for
100 parts come 51.
True epsilon: 2.5 where 1 is claimed, on () against (100); up to 5, the number of parts.
Information limit: 169 calls.
"""

import numpy as np

from mechanisms.sample_and_aggregate import Floats, Statistic, part_of


def sample_and_aggregate_fewer_parts(
    data: Floats,
    rng: np.random.Generator,
    *,
    f: Statistic = np.median,
    parts: int = 5,
    key: int = 0,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the mean of the estimates plus Laplace noise."""
    x = np.fmin(np.fmax(data, low), high)
    part = part_of(x, parts, key)
    estimates = [f(x[part == j]) for j in range(parts) if (part == j).any()]
    mean = float(np.clip(estimates, low, high).mean()) if estimates else (low + high) / 2
    return mean + rng.laplace(scale=(high - low) / (parts * epsilon))
