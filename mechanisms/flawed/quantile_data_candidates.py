"""A quantile by the exponential mechanism, chosen among the records.

    Pr[M(x) = r] ∝ exp(−ε s(x, r)/2) for r in x,    s(x, r) = | |{i : x_i < r}| − qn |

Twin: quantile
Defect: the candidates are the private records, one of which is what comes out.
Violation: DPA109
Known from: medians as "the best of the sample", to spare choosing a grid.
True epsilon: infinite, on five zeros against four and a 100.
Information limit: 281 calls.
"""

import numpy as np
from numpy.typing import NDArray


def quantile_data_candidates(
    data: NDArray[np.float64], rng: np.random.Generator, *, q: float = 0.5, epsilon: float = 1.0
) -> float:
    """Return a record, close in rank to the q-quantile; 0 where there is none."""
    if len(data) == 0:
        return 0.0
    candidates = np.sort(data)
    scores = np.abs(candidates.searchsorted(candidates) - q * len(data))
    gumbel = rng.gumbel(size=len(data))
    return float(candidates[np.argmax(gumbel - epsilon * scores / 2)])
