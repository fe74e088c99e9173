"""The numeric sparse vector technique that adds the threshold's noise to what it releases.

    ρ ~ Lap(3/ε);  for each answer: f_i(x) + ρ if f_i(x) + Lap(6c/ε) ≥ T + ρ, else ⊥;
    stop after c answers above

Twin: numeric_sparse_vector
Defect: two answers released with one noise have their exact difference.
Violation: DPA110
Known from: a noise drawn once, before the loop, and used wherever noise is asked for.
True epsilon: infinite, on 1111100000 against 0000011111.
Information limit: 264 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_reuses_threshold_noise(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 2,
    threshold: float = 1.0,
) -> tuple[float | bool, ...]:
    """Return False for each answer below the threshold, and a noisy answer for each above."""
    noise = rng.laplace(scale=3 / epsilon)
    released: list[float | bool] = []
    left = hits
    for answer in answers:
        above = answer + rng.laplace(scale=6 * hits / epsilon) >= threshold + noise
        released.append(float(answer + noise) if above else False)
        left -= bool(above)
        if left == 0:
            break
    return tuple(released)
