"""The noisy mean whose bounds are the least and the largest record.

    M(x) = Σ x_i / n + Lap((max(x) − min(x))/(nε))

Twin: mean
Defect: the bounds, and with them the scale, are the data's; equal records get no noise.
Violation: DPA103
Known from: bounds that default to the data's range (diffprivlib warns of a privacy leak there).
True epsilon: infinite, on five zeros against four and a 100.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def mean_data_bounds(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the mean of the records, whose number everybody knows, plus noise."""
    n = max(1, len(data))
    spread = float(np.ptp(data)) if len(data) else 0.0
    return float(data.sum()) / n + rng.laplace(scale=spread / (n * epsilon))
