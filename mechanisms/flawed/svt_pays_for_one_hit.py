"""The sparse vector technique that stops after c hits with the noise for one.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ if f_i(x) + Lap(4/ε) ≥ T̂, else ⊥;  stop after c ⊤

Twin: sparse_vector
Defect: each hit costs ε/2, and the noise of the answers lacks the factor c = 5.
Violation: DPA107
Known from: AboveThreshold with a counter in place of its `break`.
True epsilon: 2.10 where 1 is claimed, on 1111100000 against 0000011111; up to (1 + c)ε/2 = 3.
Information limit: 21,800 calls.
"""

import numpy as np
from numpy.typing import NDArray


def svt_pays_for_one_hit(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 5,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, at most `hits` of which are True."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    flags: list[bool] = []
    for answer in answers:
        flags.append(bool(answer + rng.laplace(scale=4 / epsilon) >= noisy_threshold))
        if sum(flags) == hits:
            break
    return tuple(flags)
