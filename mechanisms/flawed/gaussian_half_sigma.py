"""The Gaussian mechanism with half the standard deviation.

    M(x) = f(x) + N(0, (σ/2)²),    σ = 3.730632 for (1, 1e-5) and Δ = 1

Twin: gaussian
Defect: the noise has half the standard deviation that (ε, δ) needs.
Violation: DPA106
Known from: a scale meant for neighbors that differ by 1, used where they differ by 2.
True epsilon: 2.155 at δ = 1e-5 where 1 is claimed, on 0 against 1; δ(1) = .01039.
Information limit: 27,500 calls.
"""

import numpy as np
from numpy.typing import NDArray


def gaussian_half_sigma(
    answers: NDArray[np.float64], rng: np.random.Generator, *, sigma: float = 3.730632
) -> NDArray[np.float64]:
    """Return each answer with half the noise it needs."""
    return answers + rng.normal(scale=sigma / 2, size=len(answers))
