"""Noisy gradient descent that draws its noise once and uses it in every step.

    θ_t = θ_{t−1} − η (Σ clip(g_i, C) + Z),    Z ~ N(0, σ²C²) once;    all θ_t are released

Twin: noisy_gradient_descent
Defect: the difference of two steps is the difference of two sums of gradients, without noise.
Violation: DPA110
Known from: a generator that is seeded anew in every step; noise kept for speed.
True epsilon: infinite, on () against (1, 1), whose gradient shrinks from step to step.
Information limit: 50 calls against μ = √2: every output tells.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, clipped, gradients


def gradient_same_noise(
    data: Array,
    rng: np.random.Generator,
    *,
    steps: int = 2,
    clip: float = 1.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return all iterates, one a row."""
    path = [np.zeros(data.shape[1] - 1)]
    shared = rng.normal(scale=noise * clip, size=len(path[0]))
    for _ in range(steps):
        total = clipped(gradients(path[-1], data), clip).sum(axis=0)
        path.append(path[-1] - learning_rate * (total + shared))
    return np.array(path[1:])
