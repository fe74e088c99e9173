"""Local hashing whose lie can be the truth.

    report (a, b, y),  y = H(v) with probability e^ε/(e^ε + g − 1), else uniform on 0, ..., g − 1

Twin: local_hashing
Defect: the lie is drawn from all g hashes, so that the truth gets a share of it too.
Violation: DPA106
Known from: `rng.integers(g)` where the other g − 1 values are meant.
True epsilon: 1.5313 where 1 is claimed (g = 4), on 0 against 1, where their hashes differ.
Information limit: 1,085 calls.
"""

from math import exp

import numpy as np

from mechanisms.local_hashing import PRIME, hash_range, universal_hash


def local_hashing_resampled(
    value: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[int, int, int]:
    """Return a hash function, as (a, b), and a randomized response to the value's hash."""
    a, b = int(rng.integers(PRIME)), int(rng.integers(PRIME))
    g = hash_range(epsilon)
    if rng.random() < exp(epsilon) / (exp(epsilon) + g - 1):
        return a, b, universal_hash(a, b, value, g)
    return a, b, int(rng.integers(g))
