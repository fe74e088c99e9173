"""The Laplace mechanism with noise that everybody can compute.

    M(x) = x + Y,    Y the first draw of Lap(Δ/ε) after seed 0

Twin: laplace
Defect: the generator is made anew from a constant, so the noise is the same at every call.
Violation: DPA110
Known from: seeds left in place after a test "to make results reproducible".
True epsilon: infinite, on 0 against 1.
Information limit: 44 calls: every output tells.
"""

import numpy as np


def laplace_fixed_seed(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with the same noise as ever."""
    rng = np.random.default_rng(0)
    return answer + rng.laplace(scale=sensitivity / epsilon)
