"""The mode as it is, where the distance to another mode is large.

    M(x) = f(x) if D + 1 + Lap(1/ε) > ln(1/2δ)/ε, else ⊥

Twin: stable_mode
Defect: it takes the distance to a dataset with another mode, which is 1 where the next record
decides, for the distance to a dataset whose neighbor has another mode, which is 0 there.
Violation: DPA102
Known from: "distance to instability" used for both distances; the looser threshold ln(1/δ)/ε makes
up for it up to ε = ln 2.
True epsilon: infinite at δ = .01 where (1, .01) is claimed, on () against (3); δ(1) = .0272.
Information limit: 2,850 calls.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from mechanisms.stable_mode import distance_to_another_mode


def stable_mode_off_by_one(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    categories: int = 4,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> int | None:
    """Return the most frequent of the categories 0, 1, ..., or None."""
    known = np.clip(np.asarray(data, dtype=np.int64), 0, categories - 1)
    counts = np.bincount(known, minlength=categories)
    distance = distance_to_another_mode(counts)
    if distance + rng.laplace(scale=1 / epsilon) <= log(1 / (2 * delta)) / epsilon:
        return None
    return int(counts.argmax())
