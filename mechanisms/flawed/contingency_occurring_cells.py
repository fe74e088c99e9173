"""The noisy contingency table of the cells that occur.

    M(x) = {(r, c): |{i : x_i = (r, c)}| + Lap(1/ε) for (r, c) in x}

Twin: contingency_table
Defect: a cell is there only where somebody lies in it.
Violation: DPA109
Known from: `pandas.crosstab`, `value_counts` and GROUP BY, which list what occurs.
True epsilon: infinite, on () against a record.
Information limit: 44 calls: every output tells.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray


def contingency_occurring_cells(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> dict[str, float]:
    """Return a noisy count for each combination of values that occurs."""
    counts = Counter(", ".join(row) for row in data.tolist())
    return {cell: counts[cell] + rng.laplace(scale=1 / epsilon) for cell in sorted(counts)}
