"""The Laplace mechanism that draws again until its output lies in the range of the answers.

    M(x) = x + Y given l ≤ x + Y ≤ u,    Y ~ Lap(Δ/ε)

Twin: laplace
Defect: the probability of a draw that fits depends on x, and divides the density.
Violation: DPA106
Known from: redrawing in place of clamping; Holohan, Antonatos, Braghin & Mac Aonghusa, "The bounded
Laplace mechanism in differential privacy" (2018), have the scale that would pay for it.
True epsilon: 1.4898 where 1 is claimed, on 0 against 1 with the range [0, 100]: 1 + ln(2 − 1/e).
Information limit: 12,600 calls.
"""

import numpy as np


def laplace_redrawn(
    answer: float,
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> float:
    """Return the first noisy answer that lies in the range."""
    while True:
        noisy = answer + rng.laplace(scale=sensitivity / epsilon)
        if low <= noisy <= high:
            return noisy
