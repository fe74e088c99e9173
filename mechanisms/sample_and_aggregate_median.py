"""Sample and aggregate with the median of the parts' values.

    M(x) = median(z) + (12 S/ε) Cauchy(0, 1),    S = S(median, z, ε/12),    z as in the mean's case

Theorem: M is (ε, 0)-differentially private for every f (Nissim, Raskhodnikova & Smith 2007, on
sample and aggregate; Dwork & Roth 2014, section 7.1).
Sensitivity: one record changes one of z_1, ..., z_k; for their median that is one value that leaves
and one that comes. So the smooth median has ε/2, and its group of two costs ε.
Relation: one record added or removed.
Utility: errs by more than 12 S/ε about the median of the z_j half of the time. S is small where
most parts agree, however far out the others are.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.sample_and_aggregate import Statistic, part_estimates
from mechanisms.smooth_median import smooth_median_cauchy


def sample_and_aggregate_median(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    f: Statistic = np.median,
    parts: int = 5,
    key: int = 0,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
) -> float:
    """Return the median of the parts' estimates plus Cauchy noise."""
    estimates = part_estimates(data, f, parts, key, low, high)
    return smooth_median_cauchy(estimates, rng, low=low, high=high, epsilon=epsilon / 2)
