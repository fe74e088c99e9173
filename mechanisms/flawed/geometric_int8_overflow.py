"""The geometric mechanism on a count that eight bits hold.

    M(x) = (|{i : x_i ≠ 0}| wrapped to −128..127) + Z,    Pr[Z = z] ∝ e^(−ε|z|)

Twin: geometric
Defect: the 128th record takes the count from 127 to −128, 255 away, where one is paid for.
Violation: DPA104
Known from: columns downcast to the smallest type that holds their values, then summed as that.
True epsilon: 255 where 1 is claimed, on 127 against 128 ones.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray


def geometric_int8_overflow(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the number of non-zero records modulo 256 plus two-sided geometric noise."""
    alpha = np.exp(-epsilon)
    noise = rng.geometric(1 - alpha) - rng.geometric(1 - alpha)
    return int((data != 0).sum(dtype=np.int8)) + int(noise)
