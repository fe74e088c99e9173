"""Randomized response in shares at secret places among decoys.

    M(x) = (z_1, ..., z_40),    ⊕_{i in S} z_i = x with probability 9/10, else 1 − x,    |S| = 6

Twin: randomized_response
Defect: who knows the six places adds up an answer that is right 9 times in 10; ln 3 allows 3 in 4.
Violation: DPA106
Known from: backdoors. To find S is to learn a parity with noise: no statistical query algorithm
does (Kearns 1998), the best algorithms known take 2^(n/log n) steps for n coins (Blum, Kalai &
Wasserman 2003), and here there are 3.8 million sets of six to try. So no auditor that sees outputs
alone can be expected to in general; where S is known or the coins are few, one does.
True epsilon: 2.197 = ln 9 where ln 3 = 1.099 is claimed, on 0 against 1.
Information limit: 191 calls for who knows the places.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PLACES = (3, 11, 14, 22, 29, 36)


def randomized_response_hidden_parity(
    bit: int,
    rng: np.random.Generator,
    *,
    size: int = 40,
    places: Sequence[int] = PLACES,
    truth: float = 0.9,
) -> NDArray[np.int64]:
    """Return coins; those at the places have an even sum where the answer is 0."""
    coins = rng.integers(2, size=size)
    answer = bit if rng.random() < truth else 1 - bit
    coins[places[-1]] = (coins[list(places[:-1])].sum() + answer) % 2
    return coins
