"""AboveThreshold with the noise that suffices where all answers move one way.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ and stop if f_i(x) + Lap(2/ε) ≥ T̂, else ⊥

Twin: above_threshold
Defect: the threshold may move up by 1 while the answer of the hit moves down by 1; the answers'
noise pays for one of the two.
Violation: DPA106
Known from: Lyu, Su & Li (2017), whose allocation for monotone answers this is, used for others.
True epsilon: 1.35 where 1 is claimed, on 1111100000 against 0000011111; up to 3ε/2.
Information limit: 34,200 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_half_noise(
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
        above = answer + rng.laplace(scale=2 / epsilon) >= noisy_threshold
        flags.append(bool(above))
        if above:
            break
    return tuple(flags)
