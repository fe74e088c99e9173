"""The Laplace mechanism whose variance is passed for its scale.

    M(x) = x + Lap(2(Δ/ε)²)

Twin: laplace
Defect: the scale is the variance 2(Δ/ε)² of the noise that the theorem needs; from ε = 2 on this
is too little.
Violation: DPA106
Known from: samplers that differ in what they take: a scale, a deviation, a variance, a rate.
True epsilon: 8 where 4 is claimed, on 0 against 1; ε²/2 in general, sound below ε = 2.
Information limit: 1,020 calls.
"""

import numpy as np


def laplace_variance_for_scale(
    answer: float, rng: np.random.Generator, *, epsilon: float = 4.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with noise of scale 2(Δ/ε)²."""
    return answer + rng.laplace(scale=2 * (sensitivity / epsilon) ** 2)
