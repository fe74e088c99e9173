"""Randomized response hidden among decoys.

    M(x) = (z_1, ..., z_64),    z_38 = x with probability 9/10, else 1 − x;  others fair coins

Twin: randomized_response
Defect: 63 decoys are to protect an answer that is right 9 times in 10; ln 3 allows 3 in 4.
Violation: DPA106
Known from: cover traffic and padding taken for noise; who knows the place ignores the decoys.
True epsilon: 2.197 = ln 9 where ln 3 = 1.099 is claimed, on 0 against 1.
Information limit: 191 calls.
"""

import numpy as np
from numpy.typing import NDArray


def randomized_response_among_decoys(
    bit: int,
    rng: np.random.Generator,
    *,
    size: int = 64,
    place: int = 37,
    truth: float = 0.9,
) -> NDArray[np.int64]:
    """Return coins, one of which is the answer."""
    answers = rng.integers(2, size=size)
    answers[place] = bit if rng.random() < truth else 1 - bit
    return answers
