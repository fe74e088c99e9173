"""Output perturbation with an intercept that is not regularized.

    M(D) = argmin_{f, a} Σ ln(1 + exp(−y_i (f·x_i + a))) / n + Λ‖f‖²/2 + 10⁻⁶ a²/2 + b,
    ‖b‖ ~ Gamma(d + 1, 2/(nΛε))

Twin: output_perturbation
Defect: the objective is not Λ-strongly convex in the intercept, which moves as far as it likes;
10⁻⁶ is there for the solver alone.
Violation: DPA105
Known from: the intercept of scikit-learn and of most textbooks, which is never regularized.
True epsilon: 25.0 where 1 is claimed, on five records (0, 1) against four and (0, −1).
Information limit: 44 calls: nearly every output tells.
"""

import numpy as np

from mechanisms.output_perturbation import Array, signed_rows


def output_perturbation_free_intercept(
    data: Array, rng: np.random.Generator, *, regularization: float = 1.0, epsilon: float = 1.0
) -> Array:
    """Return the coefficients and the intercept plus noise."""
    signs = np.where(data[:, -1:] > 0, 1.0, -1.0)
    signed = np.column_stack((signed_rows(data), signs))
    n, ridge = max(1, len(data)), np.full(signed.shape[1], regularization)
    ridge[-1] = 1e-6
    f = np.zeros(len(ridge))
    for _ in range(30):
        t = np.tanh(signed @ f / 2)
        slope = signed.T @ (t - 1) / (2 * n) + ridge * f
        curvature = (signed.T * (1 - t**2)) @ signed / (4 * n) + np.diag(ridge)
        # Where all labels agree the minimum lies beyond 12, and Newton's steps do not end.
        f = np.clip(f - np.linalg.solve(curvature, slope), -12.0, 12.0)
    norm = rng.gamma(len(f), 2 / (n * regularization * epsilon))
    direction = rng.normal(size=len(f))
    return f + norm * direction / np.sqrt(direction @ direction)
