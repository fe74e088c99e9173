"""Parallel composition, for neighbors that replace a record.

    M(x) = (Σ x_i for x_i < 0, Σ x_i for x_i ≥ 0), clipped, plus Lap(100/ε) each

Twin: parallel_composition
Defect: a replaced record leaves one part and enters another, so that two parts change and pay.
Violation: DPA107
Known from: the theorem for one record added or removed, quoted where the size is public.
True epsilon: 2 where 1 is claimed, on (0, ..., 0, −100) against (0, ..., 0, 100).
Information limit: 533 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.parallel_composition import parallel_composition


def parallel_replace_one(
    data: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[float, ...]:
    """Return the noisy sums of debts and of assets as though one alone could change."""
    return parallel_composition(data, rng, bounds=(-100.0, 0.0, 100.0), epsilon=epsilon)
