"""Noisy gradient descent that forgets to clip.

    θ = −η (Σ g_i + N(0, σ²C²))

Twin: noisy_gradient_descent
Defect: a gradient is as long as its record is, and nothing bounds it.
Violation: DPA104
Known from: noise added to the gradients of an optimizer that has no per-example ones.
True epsilon: infinite: half the length of the record is the shift in units of σC, on () against it.
Information limit: 37 calls for records so long that every output tells.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, gradients


def gradient_unclipped(
    data: Array,
    rng: np.random.Generator,
    *,
    clip: float = 1.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return the first iterate."""
    theta = np.zeros(data.shape[1] - 1)
    total = gradients(theta, data).sum(axis=0)
    return -learning_rate * (total + rng.normal(scale=noise * clip, size=len(theta)))
