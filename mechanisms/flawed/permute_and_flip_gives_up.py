"""Permute-and-flip relative to the best possible score, which no candidate may have.

    for r in a random order of the candidates:
        return r with probability exp(ε (u(x, r) − u_max) / (2Δ))
    return −1

Twin: permute_and_flip
Defect: a coin that surely shows heads is there only if a candidate attains u_max; that all coins
show tails tells that none does.
Violation: DPA108
Known from: flipping in one pass, without looking for the largest score first.
True epsilon: infinite, on 222 against 111: only the latter can give up.
Information limit: 1,430 calls.
"""

import numpy as np
from numpy.typing import NDArray


def permute_and_flip_gives_up(
    scores: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
    highest: float = 2.0,
) -> int:
    """Return the index of the first candidate whose coin shows heads; -1 if none does."""
    order = rng.permutation(len(scores))
    shortfall = np.minimum(scores[order] - highest, 0)
    heads = rng.random(len(scores)) < np.exp(epsilon * shortfall / (2 * sensitivity))
    return int(order[heads.argmax()]) if heads.any() else -1
