"""The discrete Gaussian mechanism, sampled exactly: no floating-point number is involved.

    M(x) = f(x) + Z,    Pr[Z = z] ∝ e^(−z²/2σ²) for integers z,    σ² rational

Theorem: M is (Δ²/2σ²)-zero-concentrated private, and (ε, δ)-differentially private exactly when
Pr[Z > εσ²/Δ − Δ/2] − e^ε Pr[Z > εσ²/Δ + Δ/2] ≤ δ (Canonne, Kamath & Steinke 2020).
Sensitivity: Δ = max |f(x) − f(x')| over neighbors, an integer.
Relation: any that bounds Δ; the input here is the integer f(x) itself, with Δ = 1.
Utility: unbiased, variance at most σ².
"""

from fractions import Fraction
from math import exp, floor, isqrt, sqrt

import numpy as np

from mechanisms.discrete_laplace import bernoulli_exp, two_sided_geometric


def tight_delta(epsilon: float, variance: float) -> float:
    """Return the smallest δ for Δ = 1, up to the rounding of a sum of floats."""
    reach = floor(40 * sqrt(variance)) + 40
    weights = {z: exp(-z * z / (2 * variance)) for z in range(-reach, reach + 1)}
    low, high = epsilon * variance - 0.5, epsilon * variance + 0.5
    above = [sum(w for z, w in weights.items() if z > end) for end in (low, high)]
    return (above[0] - exp(epsilon) * above[1]) / sum(weights.values())


def discrete_gaussian(
    answer: int, rng: np.random.Generator, *, variance: Fraction = Fraction(16)
) -> int:
    """Return an integer answer with discrete Gaussian noise; `variance` is the parameter σ²."""
    a, b = variance.numerator, variance.denominator
    t = isqrt(a // b) + 1  # ⌊σ⌋ + 1
    while True:
        z = two_sided_geometric(Fraction(1, t), rng)
        # accept with probability e^(−(|z| − σ²/t)² / 2σ²)
        if bernoulli_exp((abs(z) * t * b - a) ** 2, 2 * a * b * t * t, rng):
            return int(answer) + z
