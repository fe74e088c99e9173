"""AboveThreshold with the noise moved from the answers to the threshold.

    T̂ = T + Lap(4/ε);  for each answer: ⊤ if f_i(x) + Lap(4/(3ε)) ≥ T̂, else ⊥;  stop after c ⊤

Twin: above_threshold
Defect: the answers' noise is a third of what their half of the budget buys.
Violation: DPA106
Known from: Lee & Clifton (2014), Algorithm 4 of Lyu, Su & Li (2017).
True epsilon: 1.66 where 1 is claimed, on 1111100000 against 0000011111; up to (1 + 6c)ε/4 = 1.75
for c = 1.
Information limit: 12,600 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_unbalanced(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 1,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, at most `hits` of which are True."""
    noisy_threshold = threshold + rng.laplace(scale=4 / epsilon)
    flags: list[bool] = []
    for answer in answers:
        above = answer + rng.laplace(scale=4 / (3 * epsilon)) >= noisy_threshold
        flags.append(bool(above))
        if sum(flags) == hits:
            break
    return tuple(flags)
