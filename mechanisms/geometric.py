"""The geometric mechanism, Laplace's counterpart on the integers.

    M(x) = f(x) + Z,    Pr[Z = z] = (1 − α)/(1 + α) · α^|z|,    α = e^(−ε)

Theorem: M is (ε, 0)-differentially private, and every Bayesian user of a count does best with it
(Ghosh, Roughgarden & Sundararajan 2009).
Sensitivity: 1, for f(x) the number of records that are not zero.
Relation: one record added, removed or replaced.
Utility: unbiased, variance 2α/(1 − α)².
"""

import numpy as np
from numpy.typing import NDArray


def geometric(data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0) -> int:
    """Return the number of non-zero records plus two-sided geometric noise."""
    alpha = np.exp(-epsilon)
    noise = rng.geometric(1 - alpha) - rng.geometric(1 - alpha)
    return int(np.count_nonzero(data)) + int(noise)
