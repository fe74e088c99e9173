"""Randomized response in shares, all of which are released.

    M(x) = (z_1, ..., z_k),    z_1 ⊕ ... ⊕ z_k = x with probability 9/10, else 1 − x

Twin: randomized_response
Defect: any k − 1 shares are fair coins; all k add up to an answer that is right 9 times in 10.
Violation: DPA106
Known from: secret sharing where one party gets to see every share, and tests by marginals.
True epsilon: 2.197 = ln 9 where ln 3 = 1.099 is claimed, on 0 against 1.
Information limit: 191 calls.
"""

import numpy as np
from numpy.typing import NDArray


def randomized_response_parity(
    bit: int, rng: np.random.Generator, *, shares: int = 4, truth: float = 0.9
) -> NDArray[np.int64]:
    """Return coins whose sum is even where the answer is 0."""
    coins = rng.integers(2, size=shares)
    answer = bit if rng.random() < truth else 1 - bit
    coins[-1] = (coins[:-1].sum() + answer) % 2
    return coins
