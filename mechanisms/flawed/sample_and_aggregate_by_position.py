"""Sample and aggregate over chunks of consecutive records.

    part of x_i = ⌊k (i − 1)/n⌋,    M(x) = Σ z_j / k + Lap((u − l)/(kε))

Twin: sample_and_aggregate
Defect: where one record comes or goes, those after it change parts, and many z_j move.
Violation: DPA112
Known from: `numpy.array_split` and its like, which courses use for the parts.
True epsilon: 2 where 1 is claimed, for f = max on five blocks of two equal records, 0 and 100 by
turns, against the same without the first; it grows with the number of parts.
Information limit: 310 calls.
"""

import numpy as np

from mechanisms.sample_and_aggregate import Floats, Statistic


def sample_and_aggregate_by_position(
    data: Floats,
    rng: np.random.Generator,
    *,
    f: Statistic = np.median,
    parts: int = 5,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the mean of the parts' estimates plus Laplace noise."""
    x, middle = np.fmin(np.fmax(data, low), high), (low + high) / 2
    part = np.arange(len(x)) * parts // max(1, len(x))
    members = [x[part == j] for j in range(parts)]
    estimates = [f(records) if len(records) else middle for records in members]
    mean = float(np.clip(estimates, low, high).mean())
    return mean + rng.laplace(scale=(high - low) / (parts * epsilon))
