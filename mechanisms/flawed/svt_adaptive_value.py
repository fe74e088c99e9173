"""The adaptive sparse vector technique whose first test releases the noisy answer, not the gap.

    T̂ = T + Lap(2/ε);  for each answer, with η ~ Lap(8c/ε) and η' ~ Lap(4c/ε):
    f_i(x) + η if that is at least T̂ + m (cost 1), else f_i(x) + η' − T̂ if that is at least 0
    (cost 2), else ⊥ (free);  go on while 2 more can be paid out of 2c

Twin: adaptive_sparse_vector
Defect: a noisy answer bounds T̂ from above, so that each ⊥ before it costs too.
Violation: DPA107
Known from: BadAdaptiveSVT of CheckDP (Wang, Ding, Kifer & Zhang 2020).
True epsilon: infinite as the answers grow in number; 3.5 where 1 is claimed, (3k − 2)ε/8 for k = 10
answers that all move one way, as the answer released goes to −∞.
Information limit: 6,290,000 calls on ten answers of 1 against ten of 2.
"""

import numpy as np
from numpy.typing import NDArray


def svt_adaptive_value(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 1,
    threshold: float = 1.0,
    margin: float = 16.0,
) -> tuple[float | bool, ...]:
    """Return False for each answer below the threshold, and a number for each above."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    released: list[float | bool] = []
    spent = 2 * hits  # in units of ε/(4c)
    for answer in answers:
        if spent > 4 * hits - 2:
            break
        noisy = float(answer + rng.laplace(scale=8 * hits / epsilon))
        near = float(answer + rng.laplace(scale=4 * hits / epsilon) - noisy_threshold)
        if noisy - noisy_threshold >= margin:
            released.append(noisy)
            spent += 1
        elif near >= 0:
            released.append(near)
            spent += 2
        else:
            released.append(False)
    return tuple(released)
