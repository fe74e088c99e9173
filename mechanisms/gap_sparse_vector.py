"""The sparse vector technique that tells for free how far above the threshold it was.

    T̂ = T + Lap(2/ε);  for each answer, with η_i ~ Lap(4c/ε):
    f_i(x) + η_i − T̂ if that is at least 0, else ⊥;  stop after c gaps

Theorem: it is (ε, 0)-differentially private for any number of answers, as it is without the gaps:
where T̂ moves by 1 and f_i by at most 1, moving η_i by at most 2 keeps the gap as it was (Ding,
Wang, Zhang & Kifer 2019).
Sensitivity: each answer moves by at most 1; all may move at once, in any direction.
Relation: any with that bound; the input here is the answers f_i(x).
Utility: far above the threshold a gap is unbiased for f_i(x) − T, with variance (8 + 32c²)/ε².
"""

import numpy as np
from numpy.typing import NDArray


def gap_sparse_vector(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 1,
    threshold: float = 1.0,
) -> tuple[float | bool, ...]:
    """Return False for each answer below the threshold, and the noisy gap for each above."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    released: list[float | bool] = []
    left = hits
    for answer in answers:
        gap = float(answer + rng.laplace(scale=4 * hits / epsilon) - noisy_threshold)
        released.append(gap if gap >= 0 else False)
        left -= gap >= 0
        if left == 0:
            break
    return tuple(released)
