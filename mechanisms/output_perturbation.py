"""Output perturbation: regularized logistic regression, with noise on the solution.

    M(D) = argmin_f J(f) + b,    J(f) = Σ ln(1 + exp(−y_i f·x_i)) / n + Λ‖f‖²/2,
    Pr[b] ∝ exp(−(nΛε/2) ‖b‖),  that is, ‖b‖ ~ Gamma(d, 2/(nΛε)) in a uniform direction

Theorem: M is (ε, 0)-differentially private (Chaudhuri, Monteleoni & Sarwate 2011, Theorem 6).
Sensitivity: 2/(nΛ) in the L2 norm for the minimizer (Corollary 8), if ‖x_i‖ ≤ 1, |y_i| = 1 and
the minimization is exact; so each row is shortened to norm 1, and Newton's method is run until
rounding stops it.
Relation: one record replaced, n public.
Utility: the expected distance from the minimizer is E‖b‖ = 2d/(nΛε).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def signed_rows(data: Array) -> Array:
    """Return y x for each row (x, y), with y made −1 or 1 and x shortened to norm 1."""
    x = np.fmin(np.fmax(data[:, :-1], -1e6), 1e6)  # NaN becomes a bound, and nothing overflows
    norms = np.sqrt((x**2).sum(axis=1, keepdims=True))
    return np.where(data[:, -1:] > 0, 1.0, -1.0) * x / np.maximum(1.0, norms)


def minimizer(signed: Array, regularization: float, linear: Array | float = 0.0) -> Array:
    """Return argmin_f J(f) + linear·f, by Newton's method until rounding stops it."""
    n, ridge = max(1, len(signed)), regularization * np.eye(signed.shape[1])

    def slope_at(f: Array) -> tuple[Array, Array]:
        t: Array = np.tanh(signed @ f / 2)
        return signed.T @ (t - 1) / (2 * n) + regularization * f + linear, t

    f = np.zeros(signed.shape[1])
    slope, t = slope_at(f)
    while True:
        step = np.linalg.solve((signed.T * (1 - t**2)) @ signed / (4 * n) + ridge, slope)
        while (ahead := slope_at(f - step))[0] @ ahead[0] >= slope @ slope:
            if np.array_equal(f - step, f):
                return f
            step /= 2
        f, (slope, t) = f - step, ahead


def output_perturbation(
    data: Array, rng: np.random.Generator, *, regularization: float = 1.0, epsilon: float = 1.0
) -> Array:
    """Return the coefficients plus noise."""
    f = minimizer(signed_rows(data), regularization)
    norm = rng.gamma(len(f), 2 / (max(1, len(data)) * regularization * epsilon))
    direction = rng.normal(size=len(f))
    return f + norm * direction / np.sqrt(direction @ direction)
