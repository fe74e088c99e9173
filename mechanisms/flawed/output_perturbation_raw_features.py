"""Output perturbation on features that nobody scaled to norm 1.

    M(D) = argmin_f Σ ln(1 + exp(−y_i f·x_i)) / n + Λ‖f‖²/2 + b,    ‖b‖ ~ Gamma(d, 2/(nΛε))

Twin: output_perturbation
Defect: the bound 2/(nΛ) is for norms of at most 1; longer rows move the minimizer further.
Violation: DPA105
Known from: `data_norm` left at a guess; libraries warn and go on.
True epsilon: 3.71 where 1 is claimed, on four records (0, 1) and (−20, 1) against
the four and (20, 1).
Information limit: 83 calls.
"""

import numpy as np

from mechanisms.output_perturbation import Array, minimizer


def output_perturbation_raw_features(
    data: Array, rng: np.random.Generator, *, regularization: float = 10.0, epsilon: float = 1.0
) -> Array:
    """Return the coefficients plus noise."""
    x = np.fmin(np.fmax(data[:, :-1], -1e6), 1e6)
    f = minimizer(np.where(data[:, -1:] > 0, 1.0, -1.0) * x, regularization)
    norm = rng.gamma(len(f), 2 / (max(1, len(data)) * regularization * epsilon))
    direction = rng.normal(size=len(f))
    return f + norm * direction / np.sqrt(direction @ direction)
