"""Local hashing whose hash function is seeded with the value.

    (a, b) from the generator of seed v;  report (a, b, y)

Twin: local_hashing
Defect: the hash function is reported in the clear, and only one value leads to it.
Violation: DPA110
Known from: `random.seed(value)` so that equal values send equal reports.
True epsilon: infinite, on 0 against 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np

from mechanisms.local_hashing import PRIME, hash_range, universal_hash
from mechanisms.randomized_response import k_randomized_response


def local_hashing_seed_from_value(
    value: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[int, int, int]:
    """Return a hash function, as (a, b), and a randomized response to the value's hash."""
    seeded = np.random.default_rng(value)
    a, b = int(seeded.integers(PRIME)), int(seeded.integers(PRIME))
    g = hash_range(epsilon)
    hashed = universal_hash(a, b, value, g)
    return a, b, k_randomized_response(hashed, rng, k=g, epsilon=epsilon)
