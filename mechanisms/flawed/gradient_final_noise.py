"""Noisy gradient descent with the noise of one step on the model of four.

    θ_t = θ_{t−1} − η Σ clip(g_i, C);    released: θ_T + η N(0, σ²C²)

Twin: noisy_gradient_descent
Defect: T steps move the model by TηC, and the noise pays for ηC.
Violation: DPA105
Known from: "only the final model is released, so only it needs noise".
True epsilon: 10.0 at δ = 1e-5 where 4.38 is claimed (μ = √T/σ = 1 for T = 4, σ = 2), on () against
(20, 1); true is μ = T/σ = 2.
Information limit: 168 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_final_noise(
    data: Array,
    rng: np.random.Generator,
    *,
    steps: int = 4,
    clip: float = 1.0,
    noise: float = 2.0,
    learning_rate: float = 0.02,
) -> Array:
    """Return the final model."""
    theta = np.zeros(data.shape[1] - 1)
    for _ in range(steps):
        theta = theta - learning_rate * clipped(gradients(theta, data), clip).sum(axis=0)
    return theta + learning_rate * rng.normal(scale=noise * clip, size=len(theta))
