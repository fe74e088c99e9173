"""The exact count of a Poisson sample.

    M(x) = |S|,    S keeps each record of x with probability q, independently

Twin: subsampled
Defect: sampling stands in for noise; who is in the sample is not protected at all.
Violation: DPA102
Known from: "a 20 % sample is anonymous"; it is (0, q)-differentially private and no better.
True epsilon: infinite, with δ = q = .2, on () against one record.
Information limit: 232 calls at the claim ln(1 + q (e − 1)) = .295.
"""

from collections.abc import Sized

import numpy as np


def subsampled_without_noise(data: Sized, rng: np.random.Generator, *, rate: float = 0.2) -> int:
    """Return the size of a Poisson sample."""
    sampled = rng.random(len(data)) < rate
    return int(np.count_nonzero(sampled))
