"""The sparse vector technique with gap that releases the noisy answer in place of the gap.

    T̂ = T + Lap(2/ε);  for each answer, with η_i ~ Lap(4c/ε):
    f_i(x) + η_i if that is at least T̂, else ⊥;  stop after c answers above

Twin: gap_sparse_vector
Defect: the gap hides where T̂ lies; the noisy answer bounds T̂ from above, so that each ⊥ before
it costs too.
Violation: DPA107
Known from: BadGapSVT of CheckDP (Wang, Ding, Kifer & Zhang 2020).
True epsilon: infinite as the answers grow in number (kε/4 for k that all move one way); 5.00
where 2 is claimed, on ten answers of 1 and ten of 0 against ten of 0 and ten of 1.
Information limit: 82,300 calls (at epsilon 2).
"""

import numpy as np
from numpy.typing import NDArray


def svt_gap_value(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 1,
    threshold: float = 1.0,
) -> tuple[float | bool, ...]:
    """Return False for each answer below the threshold, and a noisy answer for each above."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    released: list[float | bool] = []
    left = hits
    for answer in answers:
        noisy = float(answer + rng.laplace(scale=4 * hits / epsilon))
        released.append(noisy if noisy >= noisy_threshold else False)
        left -= noisy >= noisy_threshold
        if left == 0:
            break
    return tuple(released)
