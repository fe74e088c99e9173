"""AboveThreshold without noise on the threshold.

    for each answer: ⊤ and stop if f_i(x) + Lap(4/ε) ≥ T, else ⊥

Twin: above_threshold
Defect: the threshold's noise is what makes ⊥ free; without it each ⊥ costs ε/4.
Violation: DPA107
Known from: the thought that a threshold which everybody knows needs no noise.
True epsilon: 2.00 where 1 is claimed, on 1111111111 against 0000000000; kε/4 for k answers
far above T.
Information limit: 33,500 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_exact_threshold(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, the last of which alone can be True."""
    flags = []
    for answer in answers:
        above = answer + rng.laplace(scale=4 / epsilon) >= threshold
        flags.append(bool(above))
        if above:
            break
    return tuple(flags)
