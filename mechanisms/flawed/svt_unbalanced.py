"""AboveThreshold with the noise moved from the answers to the threshold.

    T̂ = T + Lap(4/ε);  for each answer: ⊤ and stop if f_i(x) + Lap(4/(3ε)) ≥ T̂, else ⊥

Defect: the answers' noise is a third of what their half of the budget buys.
Violation: DPA106
Known from: Lee & Clifton (2014), Algorithm 4 of Lyu, Su & Li (2017).
True epsilon: (1 + 6)/4 = 1.75 where 1 is claimed; 1.66 on 1111100000 against 0000011111.
Information limit: 12,600 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_unbalanced(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, the last of which alone can be True."""
    noisy_threshold = threshold + rng.laplace(scale=4 / epsilon)
    flags = []
    for answer in answers:
        above = answer + rng.laplace(scale=4 / (3 * epsilon)) >= noisy_threshold
        flags.append(bool(above))
        if above:
            break
    return tuple(flags)
