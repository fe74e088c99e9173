"""A count with Laplace noise that a cast has made an integer.

    M(x) = x + trunc(Y),    Y ~ Lap(Δ/ε)

Twin: geometric
Defect: the cast rounds towards zero, so that no noise at all is as likely as |Y| < 1.
Violation: DPA106
Known from: `count + int(noise)`, so that counts stay integers.
True epsilon: 1.6931 where 1 is claimed, on 0 against 1: 1 + ln 2. Rounding to the nearest
integer would be sound.
Information limit: 503 calls.
"""

import numpy as np


def laplace_cast_to_int(
    answer: int, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> int:
    """Return one integer answer with truncated noise."""
    return int(answer) + int(rng.laplace(scale=sensitivity / epsilon))
