"""The Laplace mechanism with its noise rounded to integers.

    M(x) = x + g·round(Y/g),    Y ~ Lap(Δ/ε),    g = 1

Twin: laplace
Defect: the noise is rounded before it is added, so that it never moves the digits of x below g.
Violation: DPA106
Known from: rounding the noise "so that counts stay whole", in code that also serves sums.
True epsilon: infinite, on 0 against 1/2. On integers it is 1, as claimed.
Information limit: 44 calls: every output tells.
"""

import numpy as np


def laplace_rounded_away(
    answer: float,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
    granularity: float = 1.0,
) -> float:
    """Return one answer with noise in multiples of the granularity."""
    noise = rng.laplace(scale=sensitivity / epsilon)
    return answer + granularity * round(noise / granularity)
