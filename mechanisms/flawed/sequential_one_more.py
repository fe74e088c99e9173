"""Several counts of the same records, one more than the budget was divided by.

    M(x) = (f_0(x) + Lap(k/ε), ..., f_k(x) + Lap(k/ε)),    f_i = records from i/k of the range on

Twin: sequential_composition
Defect: k steps have k + 1 ends, and the budget is divided by k.
Violation: DPA107
Known from: the fence-post error, in loops that include both ends of a range.
True epsilon: 1.5 where 1 is claimed, on () against (100), for the three ends of two steps.
Information limit: 3,450 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.sequential_composition import counts_above


def sequential_one_more(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    steps: int = 2,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return the noisy counts at both ends of every step from 0 to 100."""
    counts = counts_above(data, np.linspace(0, 100, steps + 1))
    return counts + rng.laplace(scale=steps / epsilon, size=len(counts))
