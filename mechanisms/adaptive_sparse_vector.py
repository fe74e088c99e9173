"""The sparse vector technique that pays less for answers far above the threshold.

    T̂ = T + Lap(2/ε);  for each answer, with η ~ Lap(8c/ε) and η' ~ Lap(4c/ε):
    f_i(x) + η − T̂ if that is at least m (cost 1), else f_i(x) + η' − T̂ if that is at least 0
    (cost 2), else ⊥ (free);  go on while 2 more can be paid out of 2c

Theorem: it is (ε, 0)-differentially private for any number of answers (Ding, Wang, Zhang & Kifer
2019): T̂ costs ε/2, and costs are in units of ε/(4c), the price of moving η by 2; η' takes two.
Sensitivity: each answer moves by at most 1; all may move at once, in any direction.
Relation: any with that bound; the input here is the answers f_i(x).
Utility: up to 2c − 1 gaps for the price of c; far above T + m a gap is unbiased for f_i(x) − T,
with variance (8 + 128c²)/ε².
"""

import numpy as np
from numpy.typing import NDArray


def adaptive_sparse_vector(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 1,
    threshold: float = 1.0,
    margin: float = 16.0,
) -> tuple[float | bool, ...]:
    """Return False for each answer below the threshold, and the noisy gap for each above."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    released: list[float | bool] = []
    spent = 2 * hits  # in units of ε/(4c)
    for answer in answers:
        if spent > 4 * hits - 2:
            break
        far = float(answer + rng.laplace(scale=8 * hits / epsilon) - noisy_threshold)
        near = float(answer + rng.laplace(scale=4 * hits / epsilon) - noisy_threshold)
        if far >= margin:
            released.append(far)
            spent += 1
        elif near >= 0:
            released.append(near)
            spent += 2
        else:
            released.append(False)
    return tuple(released)
