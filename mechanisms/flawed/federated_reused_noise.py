"""A client of federated averaging that keeps its noise from round to round.

    M(u_1, u_2) = (c(u_1) + Z, c(u_2) + Z),    c(u) = u min(1, C/‖u‖₂),    Z ~ N(0, σ² I)

Twin: federated_averaging
Defect: one noise blurs two rounds, whose reports differ by exactly c(u_1) − c(u_2).
Violation: DPA110
Known from: noise drawn when a client is set up, or from a seed that is not advanced.
True epsilon: infinite, on (0, 0) in both rounds against (0, 0) and then (1, 0).
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.federated_averaging import clip_norm


def federated_reused_noise(
    rounds: NDArray[np.float64], rng: np.random.Generator, *, clip: float = 1.0, mu: float = 1.0
) -> NDArray[np.float64]:
    """Return what one client sends in all rounds; updates have shape (rounds, d)."""
    scale = 2 * clip * max(1, len(rounds)) ** 0.5 / mu
    noise = rng.normal(scale=scale, size=rounds.shape[1])
    return np.array([clip_norm(update, clip) + noise for update in rounds])
