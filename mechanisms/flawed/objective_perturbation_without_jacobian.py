"""Objective perturbation that spends all of epsilon on the tilt.

    M(D) = argmin_f J(f) + b·f/n,    ‖b‖ ~ Gamma(d, 2/ε)

Twin: objective_perturbation
Defect: the density of f has the Jacobian of b too, which moves by up to 2 ln(1 + c/(nΛ)); neither
ε' nor Δ allows for it.
Violation: DPA106
Known from: derivations that compare the densities of b and forget the change of variables.
True epsilon: 1.76 where 1 is claimed, on (0, 1) and (−1, 1) against (0, 1) twice.
Information limit: 4,260 calls.
"""

import numpy as np

from mechanisms.output_perturbation import Array, minimizer, signed_rows


def objective_perturbation_without_jacobian(
    data: Array, rng: np.random.Generator, *, regularization: float = 0.02, epsilon: float = 1.0
) -> Array:
    """Return the coefficients that minimize the tilted objective."""
    n, direction = max(1, len(data)), rng.normal(size=data.shape[1] - 1)
    tilt = rng.gamma(len(direction), 2 / epsilon) * direction / np.sqrt(direction @ direction)
    return minimizer(signed_rows(data), regularization, tilt / n)
