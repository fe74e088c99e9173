"""Noisy gradient descent whose noise is multiplied by the learning rate twice.

    θ = −η (Σ clip(g_i, C) + η N(0, σ²C²))

Twin: noisy_gradient_descent
Defect: the noise is scaled by η before it joins the gradients, which η scales again.
Violation: DPA106
Known from: noise added to the update in one place and to the gradient in another.
True epsilon: 10.0 at δ = 1e-5 where 4.38 is claimed (μ = 1), on () against (2, 1); true
is μ = 1/η = 2.
Information limit: 168 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_rate_times_noise(
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
    update = learning_rate * rng.normal(scale=noise * clip, size=len(theta))
    return -learning_rate * (total + update)
