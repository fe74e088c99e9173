"""The truncated geometric mechanism: a count stays in its range, by one exact draw.

    M(c) = min(max(c + Z, 0), n),    Pr[Z = z] ∝ α^|z|,    α = 2^k/(2^k + 1)
    k = ⌈log₂(2/ε)⌉, and at least 0

Theorem: M is (ln(1 + 2^(−k)), 0)-differentially private for one count, which is at most ε/2: a
histogram, of which replacing a record changes two counts, has 2 ln(1 + 2^(−k)) ≤ ε (Balcer &
Vadhan 2018, "Differential privacy on finite computers", GeoSample).
Sensitivity: 1, for each count.
Relation: one record added or removed; the input here is the count c in 0..n.
Utility: mean squared error the sum of (2j − 1) α^j/(1 + α) over j = 1..c and over j = 1..n − c.
"""

from functools import cache
from math import ceil, log2

import numpy as np


@cache
def distribution(count: int, n: int, k: int) -> tuple[tuple[int, ...], int]:
    """Return d·Pr[M(c) ≤ z] for z = 0..n, which are integers, and d."""
    top, base, double = 2**k, 2**k + 1, 2 ** (k + 1) + 1
    d = double * base ** (n - 1)
    below = [top ** (count - z) * base ** (n - count + z) for z in range(count)]
    above = [d - top ** (z - count + 1) * base ** (n - 1 - z + count) for z in range(count, n)]
    return (*below, *above, d), d


def truncated_geometric(
    count: int, rng: np.random.Generator, *, epsilon: float = 1.0, n: int = 5
) -> int:
    """Return a noisy count in 0..n, for d below 2⁶³."""
    k = max(0, ceil(log2(2 / epsilon)))
    cumulative, d = distribution(min(max(int(count), 0), n), n, k)
    draw = int(rng.integers(d)) + 1
    return next(z for z, weight in enumerate(cumulative) if draw <= weight)
