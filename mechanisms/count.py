"""The noisy count, of records and of their distinct values.

    M(x) = |x| + Lap(1/ε)    or    M(x) = |{x_1, ..., x_n}| + Lap(1/ε)

Theorem: both are (ε, 0)-differentially private (Dwork & Roth 2014, Example 3.1 and Theorem 3.6).
Sensitivity: 1 for each: a record is one record and has one value.
Relation: one record added or removed (for distinct values also one replaced; the number of records
is public then).
Utility: unbiased, variance 2/ε² (Dwork & Roth 2014, Definition 3.2).
"""

from collections.abc import Sized

import numpy as np
from numpy.typing import NDArray


def count(data: Sized, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return the number of records plus Laplace noise."""
    return len(data) + rng.laplace(scale=1 / epsilon)


def count_distinct(
    data: NDArray[np.generic], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the number of distinct values plus Laplace noise; all NaN are one value."""
    return len(np.unique(data)) + rng.laplace(scale=1 / epsilon)
