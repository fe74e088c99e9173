"""AboveThreshold that compares the exact answers.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ and stop if f_i(x) ≥ T̂, else ⊥

Twin: above_threshold
Defect: the answers have no noise, so that their order decides which can be the first hit.
Violation: DPA108
Known from: Stoddard et al. (2014), Algorithm 5 of Lyu, Su & Li (2017), which never stops either.
True epsilon: infinite, on 1111111111 against 0000000002: only the former can hit before the end.
Information limit: 202 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_no_query_noise(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, the last of which alone can be True."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    flags = []
    for answer in answers:
        above = answer >= noisy_threshold
        flags.append(bool(above))
        if above:
            break
    return tuple(flags)
