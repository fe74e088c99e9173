"""The noisy histogram with a bin for each value that occurs.

    M(x) = {v: |{i : x_i = v}| + Lap(1/ε) for v in x}

Twin: histogram
Defect: the keys are the data's own values, so that a value only one record has shows.
Violation: DPA109
Known from: `Counter(data)` or `groupby` with noise on the counts.
True epsilon: infinite, on () against (3).
Information limit: 44 calls: every output tells.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray


def histogram_data_keys(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> dict[float, float]:
    """Return a noisy count for each value that occurs."""
    counts = Counter(data.tolist())
    return {value: counts[value] + rng.laplace(scale=1 / epsilon) for value in sorted(counts)}
