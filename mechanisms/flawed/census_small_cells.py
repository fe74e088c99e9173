"""A census with noisy cells of which the small ones are suppressed.

    M(x) = n_sj + Z_sj where n_sj ≥ 3, nothing elsewhere,    Pr[Z = z] ∝ e^(−ε|z|/2)

Twin: census_release
Defect: the true count decides whether a cell has a number at all, and nobody pays for that.
Violation: DPA109
Known from: minimum cell sizes of statistical offices, kept when noise was introduced.
True epsilon: infinite, on a cell of 3 against one of 2.
Information limit: 44 calls: every output tells.
"""

from math import expm1

import numpy as np
from numpy.typing import NDArray

from mechanisms.census_release import cells


def census_small_cells(
    data: NDArray[np.void],
    rng: np.random.Generator,
    *,
    least: int = 3,
    epsilon: float = 1.0,
) -> list[int | None]:
    """Return the noisy cells of all states in one list, None for small ones."""
    true, p = cells(data).ravel(), -expm1(-epsilon / 2)
    noisy = true + rng.geometric(p, size=len(true)) - rng.geometric(p, size=len(true))
    return [int(n) if t >= least else None for n, t in zip(noisy, true, strict=True)]
