"""Several counts of the same records, each of which spends the whole budget.

    M(x) = (f_1(x) + Lap(1/ε), ..., f_k(x) + Lap(1/ε))

Twin: sequential_composition
Defect: k answers cost kε, and the budget is not divided among them.
Violation: DPA107
Known from: notebooks that set one epsilon at the top and pass it to every query.
True epsilon: 3 where 1 is claimed, on () against (100), which all three counts see.
Information limit: 271 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.sequential_composition import THRESHOLDS, counts_above


def sequential_without_split(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all noisy counts, each with all of epsilon."""
    return counts_above(data) + rng.laplace(scale=1 / epsilon, size=len(THRESHOLDS))
