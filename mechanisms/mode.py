"""The most frequent of the public categories, by noisy maximum of their counts.

    M(x) = argmax_j c_j + Lap(Δ/ε),    c_j = |{i : x_i = v_j}|

Theorem: M is (ε, 0)-differentially private with Δ = 1 where a record is added or removed, since all
counts move one way (Dwork & Roth 2014, Claim 3.9); with Δ = 2 where one is replaced, which pays for
one that leaves and one that comes.
Sensitivity: Δ as above. A value that is no category counts nowhere.
Relation: add or remove with `sensitivity=1`, replace one with `sensitivity=2`.
Utility: with probability 1 − β the count of the answer lies within (2Δ/ε) ln(k/β) of the largest
of k: none of the k draws exceeds (Δ/ε) ln(k/β) in absolute value.
"""

import numpy as np
from numpy.typing import NDArray

RATINGS = np.arange(1, 6)


def mode(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    categories: NDArray[np.int64] = RATINGS,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> int:
    """Return the category with the largest noisy count."""
    counts = (data[:, None] == categories).sum(axis=0)
    noise = rng.laplace(scale=sensitivity / epsilon, size=len(categories))
    return int(categories[np.argmax(counts + noise)])
