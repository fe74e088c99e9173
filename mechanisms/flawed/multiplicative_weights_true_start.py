"""MWEM that starts at the true histogram.

    A_0 = the histogram of x;    one round as in MWEM;    M(x) = A_1

Twin: multiplicative_weights
Defect: the first histogram is the data's own, and the rounds only bend it.
Violation: DPA101
Known from: initialization at "public" margins that were computed from the private data.
True epsilon: infinite, on ten records of 0 against nine and a 7.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.exponential import exponential
from mechanisms.multiplicative_weights import QUERIES, Array, updated
from mechanisms.synthetic_histogram import counts


def multiplicative_weights_true_start(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    queries: Array = QUERIES,
    epsilon: float = 1.0,
) -> Array:
    """Return the histogram after one round."""
    histogram = counts(data, queries.shape[1])
    errors = np.zeros(len(queries))  # |q(A_0) − q(B)|
    chosen = exponential(errors, rng, epsilon=epsilon / 2)
    answer = queries[chosen] @ histogram + rng.laplace(scale=2 / epsilon)
    if not len(data):
        return histogram.astype(float)
    return updated(histogram, queries[chosen], answer, len(data))
