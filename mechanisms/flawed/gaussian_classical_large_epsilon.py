"""The Gaussian mechanism with the classical formula where it does not hold.

    M(x) = f(x) + N(0, σ²),    σ = Δ √(2 ln(1.25/δ)) / ε    at ε = 10, δ = 1e-5

Twin: gaussian
Defect: the theorem is for ε ≤ 1; at ε = 10 the formula gives less noise than (ε, δ) needs.
Violation: DPA106
Known from: the calibration of most libraries until Balle & Wang (2018) said where it ends.
True epsilon: 10.394 at δ = 1e-5 where 10 is claimed, on 0 against 1; δ(10) = 2.3e-5.
Information limit: 158,000 million calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.gaussian import classical_sigma


def gaussian_classical_large_epsilon(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 10.0,
    delta: float = 1e-5,
) -> NDArray[np.float64]:
    """Return each answer with the noise of a formula that has left its range."""
    sigma = classical_sigma(epsilon, delta)
    return answers + rng.normal(scale=sigma, size=len(answers))
