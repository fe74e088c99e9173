"""A census that publishes exact totals of states, among people who come and go.

    M(x) = (N_s, n_sj + Z_sj),    Pr[Z = z] ∝ e^(−ε|z|)

Twin: census_release
Defect: the totals leave without noise, and the claim does not declare them as public.
Violation: DPA101
Known from: the guarantee of the 2020 census, quoted without the invariants it is relative to.
True epsilon: infinite, on () against one person.
Information limit: 44 calls: every output tells.
"""

from math import expm1

import numpy as np
from numpy.typing import NDArray

from mechanisms.census_release import cells


def census_undeclared_totals(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """Return the total of each state and its noisy cells, shape (STATES, 1 + GROUPS)."""
    true, p = cells(data), -expm1(-epsilon)
    noise = rng.geometric(p, size=true.shape) - rng.geometric(p, size=true.shape)
    return np.hstack([true.sum(axis=1, keepdims=True), true + noise])
