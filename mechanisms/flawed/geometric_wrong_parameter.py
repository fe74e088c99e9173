"""The geometric mechanism with success probability ε.

    M(x) = f(x) + Z,    Pr[Z = z] ∝ α^|z|,    α = 1 − ε

Twin: geometric
Defect: α = 1 − ε, the first two terms of the series, where the theorem needs e^(−ε).
Violation: DPA106
Known from: passing epsilon to a sampler whose parameter is the probability of success.
True epsilon: 1.609 = ln 5 where .8 is claimed, on () against (1); infinite from ε = 1 on.
Information limit: 256 calls.
"""

import numpy as np
from numpy.typing import NDArray


def geometric_wrong_parameter(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float = 0.8
) -> int:
    """Return the number of non-zero records plus noise that falls off too fast."""
    noise = rng.geometric(epsilon) - rng.geometric(epsilon)
    return int(np.count_nonzero(data)) + int(noise)
