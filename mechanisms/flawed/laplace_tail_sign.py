"""The Laplace mechanism from a sampler with a rare branch for large noise.

    M(x) = x + Y  if |Y| ≤ c, else x + sign(x) |Y|,    Y ~ Lap(Δ/ε),  c = (Δ/ε) ln 1000

Twin: laplace
Defect: noise beyond c, one draw in a thousand, takes its sign from the answer.
Violation: DPA106
Known from: samplers with a fast path and a rare one (ziggurats); few tests reach the latter.
True epsilon: infinite, on −1/2 against 1/2; δ(1) = .0019.
Information limit: 23,700 calls.
"""

from math import copysign, log

import numpy as np


def laplace_tail_sign(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with Laplace noise, whose tail lies on the answer's side of zero."""
    scale = sensitivity / epsilon
    noise = rng.laplace(scale=scale)
    if abs(noise) > scale * log(1000):
        return answer + copysign(noise, answer)
    return answer + noise
