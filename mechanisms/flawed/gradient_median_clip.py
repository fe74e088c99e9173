"""Noisy gradient descent that clips to the median length of the private gradients.

    θ = −η (Σ clip(g_i, C) + N(0, σ²C²)),    C = median of ‖g_i‖

Twin: noisy_gradient_descent
Defect: the clipping bound sets the scale of the noise, and comes from the private records.
Violation: DPA103
Known from: advice to tune C to the median norm; done privately by Andrew et al. (2021).
True epsilon: infinite, on () against (0, 1), which takes nearly all noise away.
Information limit: 37 calls: nearly every output tells.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_median_clip(
    data: Array, rng: np.random.Generator, *, noise: float = 1.0, learning_rate: float = 0.5
) -> Array:
    """Return the first iterate."""
    theta = np.zeros(data.shape[1] - 1)
    each = gradients(theta, data)
    norms = np.sqrt((each**2).sum(axis=1))
    clip = max(float(np.median(norms)), 1e-6) if len(norms) else 1.0
    total = clipped(each, clip).sum(axis=0)
    return -learning_rate * (total + rng.normal(scale=noise * clip, size=len(theta)))
