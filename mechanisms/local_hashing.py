"""Optimized local hashing: randomized response on a hash, with a hash function for each report.

    (a, b) uniform in {0, ..., P − 1}²,  H(v) = ((a v + b) mod P) mod g,  g = e^ε + 1 (rounded);
    report (a, b, y),  y = H(v) with probability e^ε/(e^ε + g − 1), else another of 0, ..., g − 1

Theorem: (ε, 0)-differentially private, since (a, b) does not depend on v (Wang, Blocki, Li & Jha
2017, optimized local hashing).
Sensitivity: none is used; the hash of the record is the input of g-ary randomized response.
Relation: local, any two records.
Utility: a report supports v if y = H(v): with probability e^ε/(e^ε + g − 1) if its sender holds v,
else 1/g, because H is pairwise independent (Carter & Wegman 1979; to within g²/P²). Variance
about 4 n e^ε/(e^ε − 1)² where nobody holds v (Wang, Blocki, Li & Jha 2017).
"""

from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanisms import frequency_oracle
from mechanisms.randomized_response import k_randomized_response

PRIME = 2**31 - 1


def hash_range(epsilon: float) -> int:
    """Return g, the number of values that a hash can take."""
    return round(exp(epsilon)) + 1


def universal_hash(a: Any, b: Any, value: Any, g: int) -> Any:
    """Return H(value), for an integer or an array of them."""
    return (a * (value % PRIME) + b) % PRIME % g


def local_hashing(
    value: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[int, int, int]:
    """Return a hash function, as (a, b), and a randomized response to the value's hash."""
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    g = hash_range(epsilon)
    hashed = universal_hash(a, b, int(value), g)
    return a, b, k_randomized_response(hashed, rng, k=g, epsilon=epsilon)


def estimated_counts(
    reports: NDArray[np.int64], values: NDArray[np.int64], *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return how many respondents hold each of `values`; a row (a, b, y) for each report."""
    a, b, y = reports.T[:, :, None]
    g = hash_range(epsilon)
    support = (universal_hash(a, b, values, g) == y).sum(axis=0)
    p = exp(epsilon) / (exp(epsilon) + g - 1)
    return frequency_oracle.estimated_counts(support, len(reports), p=p, q=1 / g)
