"""The Gaussian mechanism, with the classical and with the exact calibration.

    M(x) = f(x) + N(0, σ²)

Theorem: with σ = Δ √(2 ln(1.25/δ)) / ε and ε ≤ 1, M is (ε, δ)-differentially private (Dwork &
Roth 2014, Theorem A.1). For every ε it is so exactly when
Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ (Balle & Wang 2018, Theorem 8).
It is (Δ/σ)-Gaussian DP (Dong, Roth & Su 2019) and Δ²/2σ²-zCDP (Bun & Steinke 2016).
Sensitivity: Δ = max ‖f(x) − f(x')‖₂ over neighbors.
Relation: any that bounds Δ; the input here is f(x) itself.
Utility: unbiased, variance σ².
"""

from functools import cache
from math import erfc, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray


def classical_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the standard deviation of Theorem A.1, for epsilon at most 1."""
    return sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon


@cache
def analytic_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest standard deviation that gives (epsilon, delta), rounded up."""

    def spent(sigma: float) -> float:  # Thm 8, in units of the sensitivity
        high, low = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return erfc(-high / sqrt(2)) / 2 - exp(epsilon) * erfc(-low / sqrt(2)) / 2

    low, high = 0.0, 1.0
    while spent(high) > delta:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) > delta else (low, middle)
    return sensitivity * high


def gaussian(
    answers: NDArray[np.float64], rng: np.random.Generator, *, sigma: float = 1.0
) -> NDArray[np.float64]:
    """Return each answer with Gaussian noise of its own."""
    return answers + rng.normal(scale=sigma, size=len(answers))


def gaussian_many(
    answers: NDArray[np.float64], size: int, rng: np.random.Generator, *, sigma: float = 1.0
) -> NDArray[np.float64]:
    """Return `size` independent outputs of `gaussian`, shape (size, k)."""
    return answers + rng.normal(scale=sigma, size=(size, len(answers)))
