"""The sparse vector technique whose noise knows of no number of hits.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ if f_i(x) + Lap(2/ε) ≥ T̂, else ⊥

Twin: sparse_vector
Defect: the noise of the answers should grow with the number of hits, which nothing bounds.
Violation: DPA107
Known from: Chen et al. (2015), Algorithm 6 of Lyu, Su & Li (2017).
True epsilon: infinite as the answers grow in number; 4.03 where 1 is claimed, on 1111100000
against 0000011111 (4.49 on 1111111111 against 2222200000).
Information limit: 978 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_half_noise_no_stop(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, any of which can be True."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    noise = rng.laplace(scale=2 / epsilon, size=len(answers))
    return tuple((answers + noise >= noisy_threshold).tolist())
