"""Suppression: small cells of a table, or rare values of a column, are left out.

    small cells:  M(x) = (|x|, {v: n_v for every v with n_v ≥ k}),    n_v = |{i : x_i = v}|
    rare values:  M(x) = (x_i if n_{x_i} ≥ k, else * : i = 1, ..., n)

Promises: no number below k and no value that fewer than k records share is printed (a threshold
rule of statistical disclosure control: Hundepool et al. 2012).
Attack: background knowledge: the total less the cells that are shown is what was suppressed; and
whether a cell of k − 1 known people appears tells whether somebody else is in it. The witness is
such a cell: with k records it is there, with k − 1 it is not.
Violation: DPA109
Known from: offices' and companies' rules to print no cell below 5, 10 or 11.
True epsilon: infinite, on any two neighbors.
Information limit: 44 calls: every output tells.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray


def suppress_small_cells(data: NDArray[np.generic], *, k: int = 5) -> dict[object, int]:
    """Return the total, and the count of each value that at least k records have."""
    counts = Counter(data.tolist())
    return {"total": len(data)} | {v: counts[v] for v in sorted(counts) if counts[v] >= k}


def suppress_rare_values(data: NDArray[np.str_], *, k: int = 2) -> tuple[str, ...]:
    """Return the values in order, a star for each that fewer than k records have."""
    counts = Counter(data.tolist())
    return tuple(v if counts[v] >= k else "*" for v in data.tolist())
