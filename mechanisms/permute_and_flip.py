"""Permute-and-flip: coins are flipped for the candidates in random order, until one shows heads.

    for r in a random order of the candidates:
        return r with probability exp(ε (u(x, r) − max u(x, ·)) / (2Δ))

Theorem: M is (ε, 0)-differentially private (McKenna & Sheldon 2020).
Sensitivity: Δ = max |u(x, r) − u(x', r)| over candidates r and neighbors x, x'.
Relation: any that bounds Δ; the input here is the scores u(x, ·) of the candidates, and every
score may move by Δ.
Utility: the expected score is never below that of the exponential mechanism (McKenna & Sheldon
2020). Where one of k candidates is best and the others lie (2Δ/ε) ln(1/p) below it, it is chosen
with probability (1 − (1 − p)^k) / (kp).
"""

import numpy as np
from numpy.typing import NDArray


def permute_and_flip(
    scores: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> int:
    """Return the index of the first candidate whose coin shows heads."""
    order = rng.permutation(len(scores))
    chances = np.exp(epsilon * (scores[order] - scores.max()) / (2 * sensitivity))
    heads = rng.random(len(scores)) < chances  # the best candidate's always are: chance 1
    return int(order[heads.argmax()])
