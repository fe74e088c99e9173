"""The noisy histogram whose bins come in the order of the raw counts.

    M(x) = {bin: c_bin + Lap(1/ε)} for every bin, in descending order of c_bin

Twin: histogram
Defect: every count has its noise, and their order has none.
Violation: DPA109
Known from: `Counter.most_common` and `value_counts`, which sort before noise is added.
True epsilon: infinite, on () against a record that is not in the first bin.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.histogram import EDGES


def histogram_sorted_by_count(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    edges: NDArray[np.float64] = EDGES,
    epsilon: float = 1.0,
) -> dict[str, float]:
    """Return a noisy count for each bin."""
    counts = np.bincount(edges.searchsorted(data, side="right"), minlength=len(edges) + 1)
    order = np.argsort(-counts, kind="stable")
    return {f"bin {i}": float(counts[i] + rng.laplace(scale=1 / epsilon)) for i in order}
