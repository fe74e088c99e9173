"""Objective perturbation: regularized logistic regression of a randomly tilted objective.

    M(D) = argmin_f J(f) + b·f/n + Δ‖f‖²/2,    J as for output perturbation,
    Pr[b] ∝ exp(−ε'‖b‖/2),  that is, ‖b‖ ~ Gamma(d, 2/ε') in a uniform direction,
    ε' = ε − 2 ln(1 + c/(nΛ)) and Δ = 0;  where that leaves ε' ≤ 0, Δ = c/(n (e^{ε/4} − 1)) − Λ
    and ε' = ε/2;    c = 1/4, the largest curvature of the logistic loss

Theorem: M is (ε, 0)-differentially private (Chaudhuri, Monteleoni & Sarwate 2011, Theorem 9).
Sensitivity: 2 in the L2 norm for the b that belongs to an output, if ‖x_i‖ ≤ 1 and |y_i| = 1; the
density of f has the Jacobian of b too, which moves by at most 2 ln(1 + c/(n(Λ + Δ))).
Relation: one record replaced, n public; the minimization must be exact.
Utility: ‖M(D) − argmin J‖ ≤ ‖b‖/(nΛ) where Δ = 0 (strong convexity), on average 2d/(nΛε').
"""

from math import expm1, log1p

import numpy as np

from mechanisms.output_perturbation import Array, minimizer, signed_rows

CURVATURE = 0.25


def calibration(epsilon: float, n: int, regularization: float) -> tuple[float, float]:
    """Return ε' and Δ."""
    left = epsilon - 2 * log1p(CURVATURE / (n * regularization))
    if left > 0:
        return left, 0.0
    return epsilon / 2, CURVATURE / (n * expm1(epsilon / 4)) - regularization


def objective_perturbation(
    data: Array, rng: np.random.Generator, *, regularization: float = 1.0, epsilon: float = 1.0
) -> Array:
    """Return the coefficients that minimize the tilted objective."""
    n, d = max(1, len(data)), data.shape[1] - 1
    left, more = calibration(epsilon, n, regularization)
    direction = rng.normal(size=d)
    tilt = rng.gamma(d, 2 / left) * direction / np.sqrt(direction @ direction)
    return minimizer(signed_rows(data), regularization + more, tilt / n)
