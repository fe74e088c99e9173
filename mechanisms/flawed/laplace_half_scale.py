"""The Laplace mechanism with half the noise.

    M(x) = x + Lap(Δ/(2ε))

Twin: laplace
Defect: the scale is Δ/(2ε) where the theorem needs Δ/ε.
Violation: DPA106
Known from: halving a sensitivity that was already that of one record.
True epsilon: 2 where 1 is claimed, on 0 against 1.
Information limit: 310 calls.
"""

import numpy as np


def laplace_half_scale(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with half the noise it needs."""
    return answer + rng.laplace(scale=sensitivity / (2 * epsilon))
