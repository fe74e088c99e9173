"""Running sums that keep the raw sum and blur it afresh each time.

    s_t = Σ_{i ≤ t} q_i + Lap_t(1/ε)

Twin: prefix_sums
Defect: an entry reaches every later sum, each of which spends ε, and the budget pays for one.
Violation: DPA107
Known from: counters on dashboards that add noise when they are read, not when they are fed.
True epsilon: 10 where 1 is claimed, on ten entries the first of which moves by 1.
Information limit: 74 calls.
"""

import numpy as np
from numpy.typing import NDArray


def prefix_sums_fresh_noise(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return all running sums, each with noise of its own."""
    return np.cumsum(answers) + rng.laplace(scale=1 / epsilon, size=len(answers))
