"""A noisy count of all records, accounted as that of a sample.

    M(x) = |x| + Lap(1/ε), claimed with ln(1 + q (e^ε − 1)) for q = .2

Twin: subsampled
Defect: nothing is sampled, and amplification is claimed.
Violation: DPA115
Known from: training loops that take every batch in turn and account for random ones.
True epsilon: 1 where .295 is claimed, on () against one record.
Information limit: 337 calls.
"""

from collections.abc import Sized

import numpy as np


def subsampled_all_rows(data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return the number of records plus Laplace noise."""
    return len(data) + rng.laplace(scale=1 / epsilon)
