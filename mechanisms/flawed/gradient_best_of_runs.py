"""The best of ten runs of noisy gradient descent, of which one is paid for.

    M(D) = argmin_θ Σ ℓ(θ; x_i) over the models of ten independent runs

Twin: noisy_gradient_descent
Defect: each run costs its μ, and the choice among them is made by the private loss.
Violation: DPA107
Known from: tuning of hyperparameters or seeds; Papernot & Steinke (2022).
True epsilon: infinite where μ = 1 is claimed, on () against (20, 1).
Information limit: 54 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, noisy_gradient_descent


def gradient_best_of_runs(
    data: Array,
    rng: np.random.Generator,
    *,
    runs: int = 10,
    clip: float = 1.0,
    noise: float = 1.0,
) -> Array:
    """Return the model with the least loss."""
    models = [
        noisy_gradient_descent(data, rng, steps=1, clip=clip, noise=noise)[0] for _ in range(runs)
    ]
    margins = (data[:, :-1] * data[:, -1:]) @ np.array(models).T
    return models[int(np.argmin(np.logaddexp(0.0, -margins).sum(axis=0)))]
