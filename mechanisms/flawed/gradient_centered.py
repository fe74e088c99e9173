"""Noisy gradient descent on features that were centered by their own mean.

    θ = −η (Σ clip(g_i, C) + N(0, σ²C²)),    g_i the gradient at (x_i − x̄, y_i)

Twin: noisy_gradient_descent
Defect: one record moves the mean, and with it the clipped gradient of every other record.
Violation: DPA105
Known from: `StandardScaler` fitted to the private records before private training.
True epsilon: 24.4 at δ = 1e-5 where 4.38 is claimed (μ = 1), on three records (20, 1) against them
and (−20, −1); true is μ = 4 there, and n + 1 with n records.
Information limit: 44 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_centered(
    data: Array,
    rng: np.random.Generator,
    *,
    clip: float = 1.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return the first iterate."""
    theta = np.zeros(data.shape[1] - 1)
    mean = data[:, :-1].sum(axis=0) / max(1, len(data))
    centered = np.column_stack((data[:, :-1] - mean, data[:, -1]))
    total = clipped(gradients(theta, centered), clip).sum(axis=0)
    return -learning_rate * (total + rng.normal(scale=noise * clip, size=len(theta)))
