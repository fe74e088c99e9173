"""The mode as it is, where it is stable.

    M(x) = f(x) if D + Lap(1/ε) > ln(1/2δ)/ε, else ⊥,    f(x) = argmax_j c_j,  c_j = |{i : x_i = j}|
    D = min_{j ≠ f(x)} (c_f(x) − c_j + 1[j > f(x)]) − 1

Theorem: M is (ε, δ)-differentially private (Dwork & Roth 2014, section 7.3, on stability and
privacy; it is propose-test-release with b = 0). Where neighbors have different modes both have
D = 0, and each shows its own with probability exactly δ.
Sensitivity: 1 for D, the distance to the nearest dataset with a neighbor of another mode. That is
one less than the distance to another mode itself, which is never 0.
Relation: one record added or removed; δ < 1/2. The categories 0, ..., m − 1 are public, others
count as the nearest; the first wins ties.
Utility: ⊥ with probability ½ e^(−(εD − ln(1/2δ))) from D = ln(1/2δ)/ε on; else there is no error.
"""

from math import log

import numpy as np
from numpy.typing import NDArray


def distance_to_another_mode(counts: NDArray[np.int64]) -> int:
    """Return how many records must come or go until another category is the mode."""
    mode = counts.argmax()
    gaps = counts[mode] - counts + (np.arange(len(counts)) > mode)
    return int(np.delete(gaps, mode).min())


def stable_mode(
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
    distance = distance_to_another_mode(counts) - 1
    if distance + rng.laplace(scale=1 / epsilon) <= log(1 / (2 * delta)) / epsilon:
        return None
    return int(counts.argmax())
