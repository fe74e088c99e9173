"""AboveThreshold: the sparse vector technique that stops at its first hit.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ and stop if f_i(x) + Lap(4/ε) ≥ T̂, else ⊥

Theorem: it is (ε, 0)-differentially private for any number of answers (Dwork & Roth 2014,
Algorithm 1 and Theorem 3.23).
Sensitivity: each answer moves by at most 1; all may move at once, in any direction.
Relation: any with that bound; the input here is the answers f_i(x).
Utility: with probability 1 − β every reported answer is right within 8 (ln k + ln(2/β)) / ε
(Theorem 3.24).
"""

import numpy as np
from numpy.typing import NDArray


def above_threshold(
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
        above = answer + rng.laplace(scale=4 / epsilon) >= noisy_threshold
        flags.append(bool(above))
        if above:
            break
    return tuple(flags)
