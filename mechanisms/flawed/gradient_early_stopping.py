"""Noisy gradient descent that stops when the loss on the private records stops falling.

    θ_t as in noisy gradient descent, for t = 1, 2, ... up to 5, while Σ ℓ(θ_t; x_i) has fallen

Twin: noisy_gradient_descent
Defect: how many steps there are is decided by the private records, without noise.
Violation: DPA108
Known from: early stopping on a validation set that is private too.
True epsilon: infinite, on () against (20, 1): without records the loss never falls.
Information limit: 90 calls.
"""

import numpy as np

from mechanisms.noisy_gradient_descent import Array, noisy_gradient


def gradient_early_stopping(
    data: Array,
    rng: np.random.Generator,
    *,
    clip: float = 1.0,
    noise: float = 5**0.5,
    learning_rate: float = 0.5,
) -> tuple[float, ...]:
    """Return the first coordinates of the iterates until the loss rises, at most five."""
    signed = data[:, :-1] * data[:, -1:]
    theta = np.zeros(data.shape[1] - 1)
    losses, path = [float(np.logaddexp(0.0, -signed @ theta).sum())], []
    while len(path) < 5 and (len(path) == 0 or losses[-1] < losses[-2]):
        theta = theta - learning_rate * noisy_gradient(theta, data, rng, 1.0, clip, noise)
        losses.append(float(np.logaddexp(0.0, -signed @ theta).sum()))
        path.append(float(theta[0]))
    return tuple(path)
