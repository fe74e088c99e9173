"""The noisy contingency table of two categorical columns with public categories.

    M(x)_{jk} = |{i : x_i = (r_j, c_k)}| + Lap(Δ/ε)    for every cell, those without records too

Theorem: M is (ε, 0)-differentially private (Dwork & Roth 2014, Example 3.2: a histogram).
Sensitivity: Δ = 1 in the L1 norm if a record is added or removed, 2 if one is replaced. A record
with a category that is not listed counts nowhere.
Relation: add or remove with `sensitivity=1`, replace one with `sensitivity=2`.
Utility: unbiased, variance 2 (Δ/ε)² a cell; a marginal over k cells has k times that.
"""

import numpy as np
from numpy.typing import NDArray

SMOKES = ("no", "yes")
COUGH = ("never", "often", "rarely")


def contingency_table(
    data: NDArray[np.void],
    rng: np.random.Generator,
    *,
    rows: tuple[str, ...] = SMOKES,
    columns: tuple[str, ...] = COUGH,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return the noisy counts of all cells, shape (len(rows), len(columns))."""
    in_row = (data["smokes"][:, None] == np.array(rows)).astype(float)
    in_column = (data["cough"][:, None] == np.array(columns)).astype(float)
    counts = in_row.T @ in_column
    return counts + rng.laplace(scale=sensitivity / epsilon, size=counts.shape)
