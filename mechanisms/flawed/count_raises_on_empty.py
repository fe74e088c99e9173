"""The noisy count that refuses an empty dataset.

    M(x) = |x| + Lap(1/ε), and an error where |x| = 0

Twin: count
Defect: the error happens on one of two neighbors only, and an error is an output.
Violation: DPA108
Known from: input checks ("no rows selected") in front of a private query.
True epsilon: infinite, on () against one record.
Information limit: 44 calls: every output tells.
"""

from collections.abc import Sized

import numpy as np


def count_raises_on_empty(data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return the number of records plus Laplace noise."""
    if len(data) == 0:
        raise ValueError("no records to count")
    return len(data) + rng.laplace(scale=1 / epsilon)
