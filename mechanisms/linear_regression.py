"""Simple linear regression from noisy sufficient statistics (NoisyStats).

    α̃ = (ncov + Lap(3Δ/ε)) / (nvar + Lap(3Δ/ε)),    β̃ = ȳ − α̃ x̄ + Lap(3 (1 + |α̃|)/(nε)),
    ncov = Σ (x_i − x̄)(y_i − ȳ),  nvar = Σ (x_i − x̄)²,  Δ = 1 − 1/n;  ⊥ where the divisor is ≤ 0

Theorem: M is (ε, 0)-differentially private: three Laplace mechanisms with ε/3 each, the last one
with a scale that depends on nothing but the released α̃ (Alabi, McMillan, Sarathy, Smith & Vadhan
2022, on NoisyStats; sufficient statistics with noise: Vu & Slavković 2009).
Sensitivity: Δ for ncov and nvar of x, y in [0, 1] (as of the covariance, times n − 1);
(1 + |α̃|)/n for ȳ − α̃ x̄ with α̃ held fixed.
Relation: one record, a pair (x_i, y_i), replaced; n is public.
Utility: with b = 3Δ/ε, α̃ misses the least-squares slope α by more than t with probability at most
T(|α + t|) + T(|α − t|), where T(c) = Pr[Lap(b) + c Lap(b) > t nvar]
= (exp(−t nvar/b) − c² exp(−t nvar/(bc))) / (2 (1 − c²)).
"""

import numpy as np
from numpy.typing import NDArray


def linear_regression(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[float, float] | None:
    """Return slope and intercept of y on x, both in [0, 1], or None where x hardly varies."""
    n = max(1, len(data))
    x = np.fmin(np.fmax(data["x"], 0.0), 1.0)
    y = np.fmin(np.fmax(data["y"], 0.0), 1.0)
    x_mean, y_mean = float(x.sum()) / n, float(y.sum()) / n
    scale = 3 * (1 - 1 / n) / epsilon
    ncov = float((x - x_mean) @ (y - y_mean)) + rng.laplace(scale=scale)
    nvar = float((x - x_mean) @ (x - x_mean)) + rng.laplace(scale=scale)
    if nvar <= 0:
        return None
    slope = ncov / nvar
    noise = rng.laplace(scale=3 * (1 + abs(slope)) / (n * epsilon))
    return slope, y_mean - slope * x_mean + noise
