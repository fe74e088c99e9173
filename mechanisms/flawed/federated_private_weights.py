"""A client of federated averaging that sends its weight as it is.

    M(u, n) = (u min(1, C/‖u‖₂) + N(0, σ² I), n)

Twin: federated_averaging
Defect: the weight is the number of the client's examples, which leaves without noise.
Violation: DPA101
Known from: the weights n_k/n of federated averaging (McMahan et al. 2017), sent as they are.
True epsilon: infinite, on any two clients with different numbers of examples.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.federated_averaging import federated_client


def federated_private_weights(
    update: NDArray[np.float64],
    examples: int,
    rng: np.random.Generator,
    *,
    clip: float = 1.0,
    mu: float = 1.0,
) -> tuple[NDArray[np.float64], int]:
    """Return what one client sends."""
    return federated_client(update, rng, clip=clip, mu=mu), examples
