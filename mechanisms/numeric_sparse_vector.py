"""The sparse vector technique that also answers what lies above the threshold.

    T̂ = T + Lap(3/ε);  for each answer: f_i(x) + Lap(3c/ε) if f_i(x) + Lap(6c/ε) ≥ T̂, else ⊥;
    stop after c answers above;  all noise is fresh

Theorem: it is (ε, 0)-differentially private for any number of answers: a third each for the
threshold, the c comparisons and the c answers (Lyu, Su & Li 2017, Algorithm 7 with three equal
parts).
Sensitivity: each answer moves by at most 1; all may move at once, in any direction.
Relation: any with that bound; the input here is the answers f_i(x).
Utility: a released answer is unbiased with variance 18c²/ε².
"""

import numpy as np
from numpy.typing import NDArray


def numeric_sparse_vector(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 2,
    threshold: float = 1.0,
) -> tuple[float | bool, ...]:
    """Return False for each answer below the threshold, and a noisy answer for each above."""
    noisy_threshold = threshold + rng.laplace(scale=3 / epsilon)
    released: list[float | bool] = []
    left = hits
    for answer in answers:
        if answer + rng.laplace(scale=6 * hits / epsilon) >= noisy_threshold:
            released.append(float(answer + rng.laplace(scale=3 * hits / epsilon)))
            left -= 1
        else:
            released.append(False)
        if left == 0:
            break
    return tuple(released)
