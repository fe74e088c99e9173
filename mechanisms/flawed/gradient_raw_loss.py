"""Noisy gradient descent that comes with the loss of its model.

    M(D) = (θ, Σ ln(1 + exp(−y_i θ·x_i))),    θ the iterate of noisy gradient descent

Twin: noisy_gradient_descent
Defect: the loss is a sum over the private records, and has no noise.
Violation: DPA101
Known from: training logs, learning curves and model cards.
True epsilon: infinite, on () against (20, 1).
Information limit: 37 calls: every output tells.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, noisy_gradient_descent


def gradient_raw_loss(
    data: Array, rng: np.random.Generator, *, clip: float = 1.0, noise: float = 1.0
) -> tuple[Array, float]:
    """Return the first iterate and its loss on the data."""
    theta = noisy_gradient_descent(data, rng, steps=1, clip=clip, noise=noise)[0]
    margins = (data[:, :-1] * data[:, -1:]) @ theta
    return theta, float(np.logaddexp(0.0, -margins).sum())
