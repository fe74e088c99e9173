"""Noisy gradient descent whose noise does not grow with the clipping bound.

    θ = −η (Σ clip(g_i, C) + N(0, σ²)),    C = 2

Twin: noisy_gradient_descent
Defect: σ is a multiple of the clipping bound C, and is used as if C were 1.
Violation: DPA106
Known from: `noise_multiplier` passed where a standard deviation is meant.
True epsilon: 10.0 at δ = 1e-5 where 4.38 is claimed (μ = 1), on () against (4, 1); true
is μ = C = 2.
Information limit: 168 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_noise_without_clip(
    data: Array,
    rng: np.random.Generator,
    *,
    clip: float = 2.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return the first iterate."""
    theta = np.zeros(data.shape[1] - 1)
    total = clipped(gradients(theta, data), clip).sum(axis=0)
    return -learning_rate * (total + rng.normal(scale=noise, size=len(theta)))
