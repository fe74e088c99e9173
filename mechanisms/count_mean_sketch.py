"""The count-mean sketch: unary encoding of a hash, under one of k public hash functions.

    report (j, x̃):  j uniform in {1, ..., k};  x_i = 1 if i = h_j(v) else −1, i = 1, ..., m;
                    x̃_i = −x_i with probability 1/(e^(ε/2) + 1), else x_i
    f̃(d) = m/(m − 1) (Σ_reports (c x̃_{h_j(d)} + 1)/2 − n/m),  c = (e^(ε/2) + 1)/(e^(ε/2) − 1)

Theorem: (ε, 0)-differentially private (Apple 2017, "Learning with Privacy at Scale").
Sensitivity: two entries of x differ between two values whose hashes differ; each costs ε/2.
Relation: local, any two records.
Utility: over hash functions and reports f̃ is unbiased. Where n − t of n respondents hold one
other value, its variance is (m/(m − 1))² (n (c² − 1)/4 + (n − t)(1 + (n − t − 1)/k)(m − 1)/m²):
the noise, and collisions, which all reports under one hash function share.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from mechanisms.local_hashing import PRIME, universal_hash

Report = tuple[int, NDArray[np.int64]]
Hashes = NDArray[np.int64]


def public_hashes(k: int, rng: np.random.Generator) -> Hashes:
    """Return k pairs (a, b), one hash function each, for everybody to know."""
    return rng.integers(PRIME, size=(k, 2))


PUBLIC = public_hashes(4, np.random.default_rng(2017))


def count_mean_sketch(
    value: int,
    rng: np.random.Generator,
    *,
    hashes: Hashes = PUBLIC,
    m: int = 16,
    epsilon: float = 1.0,
) -> Report:
    """Return the number of a hash function, and m noisy entries of −1 or 1."""
    j = int(rng.integers(len(hashes)))
    x = np.full(m, -1)
    x[universal_hash(*hashes[j], value, m)] = 1
    return j, np.where(rng.random(m) < 1 / (exp(epsilon / 2) + 1), -x, x)


def estimated_count(
    reports: list[Report],
    value: int,
    *,
    hashes: Hashes = PUBLIC,
    m: int = 16,
    epsilon: float = 1.0,
) -> float:
    """Return how many respondents hold the value."""
    c = (exp(epsilon / 2) + 1) / (exp(epsilon / 2) - 1)
    total = sum((c * x[universal_hash(*hashes[j], value, m)] + 1) / 2 for j, x in reports)
    return m / (m - 1) * float(total - len(reports) / m)
