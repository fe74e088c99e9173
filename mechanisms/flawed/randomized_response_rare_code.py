"""Randomized response that reports retries by codes of their own.

    M(x) = 2 + (x with probability .99, else 1 − x) once in a thousand calls, else a coin answer

Twin: randomized_response
Defect: a retry, coded 2 or 3, is right 99 times in 100, where ln 3 allows 3 in 4.
Violation: DPA106
Known from: error paths and retries that call an older client than the one that was reviewed.
True epsilon: 4.595 = ln 99 where ln 3 = 1.099 is claimed, on 0 against 1.
Information limit: 56,900 calls.
"""

import numpy as np

from mechanisms.randomized_response import randomized_response


def randomized_response_rare_code(
    bit: int, rng: np.random.Generator, *, rate: float = 1e-3, truth: float = 0.99
) -> int:
    """Return a coin answer, or now and then the code of a retry; both bits have retries."""
    if rng.random() < rate:
        return 2 + int(bit if rng.random() < truth else 1 - bit)
    return randomized_response(bit, rng)
