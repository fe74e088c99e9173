"""Noisy gradient descent, calibrated to records that come or go, where one is replaced.

    θ = −η (Σ clip(g_i, C) + N(0, σ²C²))

Twin: noisy_gradient_descent
Defect: a replaced record turns a clipped gradient v into −v, a change of 2C in the L2 norm.
Violation: DPA105
Known from: "the clipped gradient has L2 sensitivity C", said of either relation.
True epsilon: 10.0 at δ = 1e-5 where 4.38 is claimed (μ = 1), on (2, 1) against (−2, 1); true
is μ = 2.
Information limit: 168 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, noisy_gradient_descent


def gradient_replace(
    data: Array, rng: np.random.Generator, *, clip: float = 1.0, noise: float = 1.0
) -> Array:
    """Return the first iterate."""
    return noisy_gradient_descent(data, rng, steps=1, clip=clip, noise=noise)[0]
