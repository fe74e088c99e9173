"""MWEM that gives each of its rounds the whole budget.

    q_t with Pr[q] ∝ exp(ε |q(A_{t−1}) − q(B)| / 4),    m_t = q_t(B) + Lap(2/ε),    t = 1, ..., 8

Twin: multiplicative_weights
Defect: each round costs ε, and T of them cost Tε.
Violation: DPA107
Known from: ε/2 for either half of a round, with the number of rounds forgotten.
True epsilon: 4 at least and 8 at most where 1 is claimed, on five records of 0 and five of 7
against four and six: each of eight measurements moves the odds by up to e^(1/2).
Information limit: 985 calls or fewer, from the simulated share of cells 0, ..., 3.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.multiplicative_weights import QUERIES, Array, multiplicative_weights


def multiplicative_weights_epsilon_each_round(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    queries: Array = QUERIES,
    rounds: int = 8,
    epsilon: float = 1.0,
) -> Array:
    """Return the mean of the histograms after each round."""
    total = rounds * epsilon
    return multiplicative_weights(data, rng, queries=queries, rounds=rounds, epsilon=total)
