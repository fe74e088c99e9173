"""Four noisy counts of one Poisson sample, accounted as of four.

    M(x) = (|S| + Y_1, ..., |S| + Y_4),    Y_j ~ Lap(1/ε),    S takes records with probability q,
    claimed with 4 ln(1 + q (e^ε − 1)) for q = .2

Twin: subsampled
Defect: the sample is drawn once; whoever is in it pays 4ε, and only then is it amplified.
Violation: DPA115
Known from: loops that sample once an epoch and account for every step as freshly sampled.
True epsilon: 2.46 where 1.18 is claimed, on () against one record.
Information limit: 9,610 calls.
"""

from collections.abc import Sized

import numpy as np
from numpy.typing import NDArray


def subsampled_same_sample(
    data: Sized,
    rng: np.random.Generator,
    *,
    releases: int = 4,
    rate: float = 0.2,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return the size of a Poisson sample several times, with fresh noise each time."""
    size = int(np.count_nonzero(rng.random(len(data)) < rate))
    return size + rng.laplace(scale=1 / epsilon, size=releases)
