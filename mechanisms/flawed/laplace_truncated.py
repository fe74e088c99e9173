"""The Laplace mechanism with its noise cut off.

    M(x) = x + clip(Y, −3Δ/ε, 3Δ/ε),    Y ~ Lap(Δ/ε)

Twin: laplace
Defect: the noise is bounded, so that an output near its end excludes a neighbor.
Violation: DPA106
Known from: "outliers" removed from the noise to keep answers plausible.
True epsilon: infinite, with δ(1) = .0926, on 0 against 1: only the latter exceeds 3.
Information limit: 476 calls.
"""

import numpy as np


def laplace_truncated(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with noise of at most three times its scale."""
    scale = sensitivity / epsilon
    noise = rng.laplace(scale=scale)
    return answer + min(max(noise, -3 * scale), 3 * scale)
