"""A noisy count of a Poisson sample, whose secrecy amplifies its privacy.

    M(x) = |S| + Lap(1/ε),    S keeps each record of x with probability q, independently

Theorem: M is (ln(1 + q (e^ε − 1)), 0)-differentially private (Li, Qardaji & Su 2012; Balle,
Barthe & Gaboardi 2018, Theorem 8), less than the ε that the count of all records would spend.
Sensitivity: 1, for the count of the sample.
Relation: one record added or removed; the sample must stay secret.
Utility: the output over q estimates |x| without bias, with variance |x| (1 − q)/q + 2/(qε)².
"""

from collections.abc import Sized

import numpy as np


def subsampled_count(
    data: Sized, rng: np.random.Generator, *, rate: float = 0.2, epsilon: float = 1.0
) -> float:
    """Return the size of a Poisson sample plus Laplace noise."""
    sampled = rng.random(len(data)) < rate
    return int(np.count_nonzero(sampled)) + rng.laplace(scale=1 / epsilon)
