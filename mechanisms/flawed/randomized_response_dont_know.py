"""Randomized response whose second coin says "don't know".

    coin:  heads: the truth; tails: "don't know"

Twin: randomized_response
Defect: whoever does not answer "don't know" has told the truth, and nobody else answers so.
Violation: DPA102
Known from: surveys that let respondents refuse at random; dropping answers is not lying.
True epsilon: infinite where ln 3 is claimed, on 0 against 1; δ(ε) = 1/2 for every ε.
Information limit: 96 calls.
"""

import numpy as np

DONT_KNOW = 2


def randomized_response_dont_know(bit: int, rng: np.random.Generator) -> int:
    """Return the bit if the coin shows heads, else that nothing is known."""
    if rng.random() < 0.5:
        return int(bit)
    return DONT_KNOW
