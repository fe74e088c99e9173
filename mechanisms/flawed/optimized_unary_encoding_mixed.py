"""Unary encoding with the p of the symmetric and the q of the optimized version.

    report B'_i = 1 with probability p where B_i = 1, with q where B_i = 0;
    p = e^(ε/2)/(e^(ε/2) + 1),  q = 1/(e^ε + 1)

Twin: optimized_unary_encoding
Defect: a bit that stays 1 with more than 1/2 has to be paid for by a larger q.
Violation: DPA106
Known from: two rows of a table of protocols read as one.
True epsilon: 1.5 where 1 is claimed, on 0 against 1.
Information limit: 1,203 calls.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms import optimized_unary_encoding, unary_encoding


def optimized_unary_encoding_mixed(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> NDArray[np.int64]:
    """Return k noisy bits, of which the one at the value is likelier to be 1."""
    p, _ = unary_encoding.probabilities(epsilon)
    _, q = optimized_unary_encoding.probabilities(epsilon)
    return (rng.random(k) < np.where(np.arange(k) == value, p, q)).astype(np.int64)
