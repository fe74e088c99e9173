"""The noisy count.

    M(x) = |x| + Lap(1/ε)

Theorem: M is (ε, 0)-differentially private (Dwork & Roth 2014, Example 3.1 and Theorem 3.6).
Sensitivity: 1.
Relation: one record added or removed (under replacement the size is public).
Utility: unbiased, variance 2/ε².
"""

from collections.abc import Sized

import numpy as np


def count(data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return the number of records plus Laplace noise."""
    return len(data) + rng.laplace(scale=1 / epsilon)
