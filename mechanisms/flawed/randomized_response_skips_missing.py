"""Randomized response that passes over those who gave no answer.

    M(x) = None if x is missing, else a coin answer for x

Twin: randomized_response
Defect: whether there is an answer at all is never randomized: the type of the output tells.
Violation: DPA109
Known from: null checks in front of a randomizer, `if bit is None: return None`.
True epsilon: infinite where ln 3 is claimed, on None against 0.
Information limit: 48 calls: every output tells.
"""

import numpy as np

from mechanisms.randomized_response import randomized_response


def randomized_response_skips_missing(bit: int | None, rng: np.random.Generator) -> int | None:
    """Return a coin answer, or None where there is nothing to answer."""
    if bit is None:
        return None
    return randomized_response(bit, rng)
