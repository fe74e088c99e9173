"""Randomized response whose first coin is not fair.

    first coin: heads with probability 3/4: the truth; tails: toss again, heads: 1, tails: 0

Twin: randomized_response
Defect: the first coin shows heads three times in four, where ln 3 needs one in two.
Violation: DPA106
Known from: "the truth with probability 3/4" read as the first coin's bias; it is the answer's.
True epsilon: 1.946 = ln 7 where ln 3 = 1.099 is claimed, on 0 against 1.
Information limit: 286 calls.
"""

import numpy as np


def randomized_response_wrong_coin(bit: int, rng: np.random.Generator) -> int:
    """Return the bit three times in four, else what the second coin says."""
    if rng.random() < 0.75:
        return int(bit)
    return int(rng.random() < 0.5)
