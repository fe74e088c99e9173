"""Noisy sums of two groups, with all of epsilon each by parallel composition.

    M(x) = (Σ_{group a} clip(x_i, l, u) + Lap(b), Σ_{group b} clip(x_i, l, u) + Lap(b)),
    b = max(|l|, |u|)/ε

Twin: clipped_sum
Defect: a replaced record may leave one group for the other: then both sums move.
Violation: DPA107
Known from: parallel composition, a theorem on adding and removing, quoted for replacement.
True epsilon: 2 where 1 is claimed, on (b, 100) against (a, 100).
Information limit: 533 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.clipped_sum import clipped_sum


def sum_parallel_replace(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[float, float]:
    """Return the noisy sums of the groups a and b."""
    a, b = data["group"] == "a", data["group"] == "b"
    return (
        clipped_sum(data["amount"][a], rng, epsilon=epsilon),
        clipped_sum(data["amount"][b], rng, epsilon=epsilon),
    )
