"""The Gaussian mechanism on a vector, calibrated to the largest change of one entry.

    M(x) = f(x) + N(0, σ² I),    σ = 3.730632 for (1, 1e-5) and Δ∞ = 1

Twin: gaussian
Defect: Δ∞ stands where the theorem needs the L2 norm, √k times as large if all entries move.
Violation: DPA105
Known from: per-coordinate clipping of gradients, accounted as clipping of their norm.
True epsilon: 2.442 at δ = 1e-5 where 1 is claimed, on 00000 against 11111.
Information limit: 13,000 calls.
"""

import numpy as np
from numpy.typing import NDArray


def gaussian_linf_sensitivity(
    answers: NDArray[np.float64], rng: np.random.Generator, *, sigma: float = 3.730632
) -> NDArray[np.float64]:
    """Return each answer with noise that pays for one answer alone."""
    return answers + rng.normal(scale=sigma, size=len(answers))
