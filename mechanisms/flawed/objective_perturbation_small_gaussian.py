"""Objective perturbation tilted by Gaussian noise of the wrong size.

    M(D) = argmin_f J(f) + b·f/n + Δ‖f‖²/2,    b ~ N(0, I/ε')

Twin: objective_perturbation
Defect: Gaussian noise gives no pure ε, and here it is shorter than a vector of norm Gamma(d, 2/ε').
Violation: DPA106
Known from: `rng.normal` where the paper's "noise vector" has a norm of Gamma distribution.
True epsilon: infinite, on four records (0, 1) and (−1, 1) against the four and (1, 1).
Information limit: 1,240 calls.
"""

import numpy as np

from mechanisms.objective_perturbation import calibration
from mechanisms.output_perturbation import Array, minimizer, signed_rows


def objective_perturbation_small_gaussian(
    data: Array, rng: np.random.Generator, *, regularization: float = 1.0, epsilon: float = 1.0
) -> Array:
    """Return the coefficients that minimize the tilted objective."""
    n, d = max(1, len(data)), data.shape[1] - 1
    left, more = calibration(epsilon, n, regularization)
    tilt = rng.normal(scale=left**-0.5, size=d)
    return minimizer(signed_rows(data), regularization + more, tilt / n)
