"""Noisy gradient descent that divides by the actual size of its batch.

    θ = −η (Σ clip(g_i, C) + N(0, σ²C²)) / max(1, n)

Twin: noisy_gradient_descent
Defect: the noise is divided by the number of records, which its spread then tells.
Violation: DPA103
Known from: `loss.mean()` on a batch of random size, where the paper divides by a fixed lot size.
True epsilon: infinite, on one record (2, 1) against two.
Information limit: 2,460 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_batch_mean(
    data: Array,
    rng: np.random.Generator,
    *,
    clip: float = 1.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return the first iterate."""
    theta = np.zeros(data.shape[1] - 1)
    total = clipped(gradients(theta, data), clip).sum(axis=0)
    noisy = total + rng.normal(scale=noise * clip, size=len(theta))
    return -learning_rate * noisy / max(1, len(data))
