"""The sparse vector technique that releases the noisy answers it compared.

    T̂ = T + Lap(2/ε);  for each answer, with ν_i ~ Lap(2c/ε):
    f_i(x) + ν_i if that is at least T̂, else ⊥;  stop after c answers above

Twin: numeric_sparse_vector
Defect: the noise was spent on the comparison; an answer released with it bounds T̂ from above, so
that each ⊥ before it costs as much as a release.
Violation: DPA107
Known from: Roth's lecture notes (2011), Algorithm 3 of Lyu, Su & Li (2017).
True epsilon: infinite as the answers grow in number (kε/2 for k that all move one way); 3.00
where 1 is claimed, on 1111111111 against 2222200000, c = 1.
Information limit: 11,300 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_releases_comparison(
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
        noisy = float(answer + rng.laplace(scale=2 * hits / epsilon))
        released.append(noisy if noisy >= noisy_threshold else False)
        left -= noisy >= noisy_threshold
        if left == 0:
            break
    return tuple(released)
