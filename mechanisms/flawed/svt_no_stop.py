"""AboveThreshold that goes on after its first hit.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ if f_i(x) + Lap(4/ε) ≥ T̂, else ⊥

Twin: above_threshold
Defect: each hit costs ε/2, and the budget pays for one.
Violation: DPA107
Known from: Chen et al. (2015), Algorithm 6 of Lyu, Su & Li (2017), there with Lap(2/ε).
True epsilon: 4.61 where 1 is claimed, on twenty answers of 1 against ten of 2 and ten of 0; it
grows with their number (2.24 for ten answers).
Information limit: 2,230 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_no_stop(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, any of which can be True."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    flags = []
    for answer in answers:
        above = answer + rng.laplace(scale=4 / epsilon) >= noisy_threshold
        flags.append(bool(above))
    return tuple(flags)
