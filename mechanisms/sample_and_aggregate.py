"""Sample and aggregate: any statistic, as the mean of its values on the parts of a partition.

    z_j = clip(f({x_i : h(x_i) = j}), l, u),  j = 1, ..., k;  (l + u)/2 for an empty part
    M(x) = Σ z_j / k + Lap((u − l)/(kε))

Theorem: M is (ε, 0)-differentially private for every f (Nissim, Raskhodnikova & Smith 2007, on
sample and aggregate; Dwork & Roth 2014, section 7.1 and Theorem 3.6).
Sensitivity: (u − l)/k. One record changes one z_j, by at most u − l, because its part depends on
nothing but the record and a public key.
Relation: one record added or removed (a replaced one touches two parts and costs twice as much).
Utility: variance 2 (u − l)²/(kε)² about the noise-free mean of the z_j, whose own error grows with
k as the parts shrink. Equal records share a part.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], float]


def part_of(data: Floats, parts: int, key: int) -> NDArray[np.int64]:
    """Return the part of each record: a keyed hash of its bits, 0 and −0 alike."""
    bits = (np.asarray(data, dtype=np.float64) + 0.0).view(np.uint64) ^ np.uint64(key)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return (bits % np.uint64(parts)).astype(np.int64)


def part_estimates(
    data: Floats, f: Statistic, parts: int, key: int, low: float, high: float
) -> Floats:
    """Return z_1, ..., z_k; f sees clipped records."""
    data = np.fmin(np.fmax(data, low), high)
    part, middle = part_of(data, parts, key), (low + high) / 2
    members = [data[part == j] for j in range(parts)]
    estimates = np.array([f(records) if len(records) else middle for records in members])
    return np.fmin(np.fmax(estimates, low), high)


def sample_and_aggregate(
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
    """Return the mean of the parts' estimates plus Laplace noise."""
    mean = float(part_estimates(data, f, parts, key, low, high).mean())
    return mean + rng.laplace(scale=(high - low) / (parts * epsilon))
