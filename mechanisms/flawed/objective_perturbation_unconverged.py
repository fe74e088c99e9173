"""Objective perturbation that stops after one step from the model without noise.

    f_0 = argmin_f J(f),    M(D) = f_0 − η ∇(J(f) + b·f/n) at f_0 = f_0 − ηb/n,    η = .1

Twin: objective_perturbation
Defect: the theorem is about the exact minimizer; after one step only a share ηΛ, or a little
more, of what the tilt does to it has come in.
Violation: DPA106
Known from: warm starts at an older model, and `max_iter` reached with a warning.
True epsilon: 4.30 where 1 is claimed, on four records (0, 1) and (−1, 1) against
the four and (1, 1).
Information limit: 69 calls.
"""

import numpy as np

from mechanisms.objective_perturbation import calibration
from mechanisms.output_perturbation import Array, minimizer, signed_rows


def objective_perturbation_unconverged(
    data: Array,
    rng: np.random.Generator,
    *,
    regularization: float = 1.0,
    rate: float = 0.1,
    epsilon: float = 1.0,
) -> Array:
    """Return the coefficients after one step towards the tilted minimum."""
    n, d = max(1, len(data)), data.shape[1] - 1
    left, more = calibration(epsilon, n, regularization)
    direction = rng.normal(size=d)
    tilt = rng.gamma(d, 2 / left) * direction / np.sqrt(direction @ direction)
    return minimizer(signed_rows(data), regularization + more) - rate * tilt / n
