"""Noisy gradient descent that clips the mean gradient of the batch.

    θ = −η (clip(Σ g_i / L, C) + N(0, (σC/L)²)),    L a public lot size

Twin: noisy_gradient_descent
Defect: one record can move the clipped mean by as much as C, and the noise pays for C/L.
Violation: DPA105
Known from: `clip_grad_norm_` on the gradient of a batch; Tramèr et al. (2022) found a slip of this
kind in a published variant of DP-SGD by auditing it.
True epsilon: 65.3 at δ = 1e-5 where 4.38 is claimed (μ = 1), on () against (16, 1); true is μ = 8
there.
Information limit: 37 calls: nearly every output tells.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_clipped_mean(
    data: Array,
    rng: np.random.Generator,
    *,
    lot: int = 8,
    clip: float = 1.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return the first iterate."""
    theta = np.zeros(data.shape[1] - 1)
    mean = gradients(theta, data).sum(axis=0, keepdims=True) / lot
    gradient = clipped(mean, clip)[0] + rng.normal(scale=noise * clip / lot, size=len(theta))
    return -learning_rate * gradient
