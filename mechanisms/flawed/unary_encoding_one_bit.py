"""Unary encoding that pays for one bit.

    report B'_i = 1 with probability p where B_i = 1, with q where B_i = 0;
    p = e^ε/(e^ε + 1),  q = 1 − p

Twin: unary_encoding
Defect: each bit gets ε, and two bits of B differ between any two values.
Violation: DPA105
Known from: binary randomized response applied to each bit of a one-hot vector.
True epsilon: 2.0 where 1 is claimed, on 0 against 1; ln 9 where ln 3 is claimed (p = 3/4).
Information limit: 339 calls.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray


def unary_encoding_one_bit(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """Return k noisy bits, of which the one at the value is likelier to be 1."""
    p = 1 / (1 + exp(-epsilon))
    return (rng.random(k) < np.where(np.arange(k) == value, p, 1 - p)).astype(np.int64)
