"""The exponential mechanism over the values that occur in the data.

    Pr[M(x) = r] ∝ exp(ε |{i : x_i = r}| / 2),    r ∈ {x_1, ..., x_n}

Twin: exponential
Defect: the candidates are the data's own values, so that a value only one record has can leave.
Violation: DPA109
Known from: a private mode over `unique(data)`.
True epsilon: infinite, on () against (7): only the latter can answer 7.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def exponential_private_candidates(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return a value that occurs in the data, the frequent ones most likely; -1 if none does."""
    candidates, scores = np.unique(data, return_counts=True)
    if len(candidates) == 0:
        return -1
    weights = np.exp(epsilon * (scores - scores.max()) / 2)
    cumulated = weights.cumsum()
    return int(candidates[cumulated.searchsorted(rng.random() * cumulated[-1], side="right")])
