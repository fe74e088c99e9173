"""Output perturbation with less regularization than its noise is calibrated to.

    M(D) = argmin_f Σ ln(1 + exp(−y_i f·x_i)) / n + λ‖f‖²/2 + b,    λ = Λ/10,
    ‖b‖ ~ Gamma(d, 2/(nΛε))

Twin: output_perturbation
Defect: the minimizer moves by as much as 2/(nλ), and the noise pays for 2/(nΛ).
Violation: DPA105
Known from: solvers whose `C` is 1/(nΛ) in one version and 1/Λ in another.
True epsilon: 3.37 where 1 is claimed, on four records (0, 1) and (−1, 1) against
the four and (1, 1).
Information limit: 95 calls.
"""

import numpy as np

from mechanisms.output_perturbation import Array, minimizer, signed_rows


def output_perturbation_weak_regularization(
    data: Array, rng: np.random.Generator, *, regularization: float = 1.0, epsilon: float = 1.0
) -> Array:
    """Return the coefficients plus noise."""
    f = minimizer(signed_rows(data), regularization / 10)
    norm = rng.gamma(len(f), 2 / (max(1, len(data)) * regularization * epsilon))
    direction = rng.normal(size=len(f))
    return f + norm * direction / np.sqrt(direction @ direction)
