"""Noisy gradient descent, known as DP-SGD, for logistic regression.

    θ_t = θ_{t−1} − η (Σ_{i ∈ S_t} g_i / max(1, ‖g_i‖/C) + N(0, σ²C² I)),    g_i = ∇ℓ(θ_{t−1}; x_i),
    S_t takes each record with probability q, independently;    θ_0 = 0

Theorem: with q = 1 all T iterates together are (√T/σ)-Gaussian DP (Dong, Roth & Su 2019, on
composition). With q < 1 a step has the profile δ'(ln(1 + q (e^ε − 1))) = q δ(ε), δ that of
(1/σ)-Gaussian DP (Balle, Barthe & Gaboardi 2018, Theorem 8), and T steps compose it; the
algorithm is that of Abadi et al. (2016, Algorithm 1), their lot size part of η.
Sensitivity: C in the L2 norm for the sum of clipped gradients, 2C if a record were replaced.
Relation: one record added or removed; η, C, σ, q and T are public.
Utility: a step from θ lies around the one without noise with expected squared distance d (ησC)².
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gradients(theta: Array, data: Array) -> Array:
    """Return −y x / (1 + exp(y θ·x)) for each row (x, y)."""
    bounded = np.fmin(np.fmax(data, -1e6), 1e6)  # NaN becomes a bound, and nothing overflows
    signed = bounded[:, :-1] * bounded[:, -1:]
    slopes: Array = 0.5 * np.tanh(signed @ theta / 2) - 0.5
    return signed * slopes[:, None]


def clipped(vectors: Array, bound: float) -> Array:
    """Return the rows, those that are longer than `bound` shortened to it."""
    norms = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return vectors / np.maximum(1.0, norms / bound)


def noisy_gradient(
    theta: Array, data: Array, rng: np.random.Generator, rate: float, clip: float, noise: float
) -> Array:
    """Return the sum of the clipped gradients of a Poisson sample, plus noise."""
    batch = data[rng.random(len(data)) < rate]
    total = clipped(gradients(theta, batch), clip).sum(axis=0)
    return total + rng.normal(scale=noise * clip, size=len(theta))


def noisy_gradient_descent(
    data: Array,
    rng: np.random.Generator,
    *,
    steps: int = 2,
    rate: float = 1.0,
    clip: float = 1.0,
    noise: float = 1.0,
    learning_rate: float = 0.5,
) -> Array:
    """Return all iterates, one a row; the last is the model. `noise` is σ."""
    path = [np.zeros(data.shape[1] - 1)]
    for _ in range(steps):
        gradient = noisy_gradient(path[-1], data, rng, rate, clip, noise)
        path.append(path[-1] - learning_rate * gradient)
    return np.array(path[1:])
