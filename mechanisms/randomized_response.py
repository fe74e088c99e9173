"""Randomized response: each respondent lies with a known probability.

    coin:  heads: the truth; tails: toss again, heads: 1, tails: 0
    k-ary: the truth with probability e^ε/(e^ε + k − 1), each other answer with 1/(e^ε + k − 1)

Theorem: the coin version is (ln 3, 0)-differentially private (Warner 1965; Dwork & Roth 2014,
Claim 3.5), the k-ary version (ε, 0) (Kairouz, Bonawitz & Ramage 2016).
Sensitivity: none is used; the record itself is the input.
Relation: local, any two records.
Utility: a coin answer is 1 with probability 1/4 + x/2, so (answer − 1/4)·2 estimates x without
bias, with variance 3/4.
"""

import numpy as np
from numpy.typing import NDArray


def randomized_response(bit: int, rng: np.random.Generator) -> int:
    """Return the bit if the first coin shows heads, else what the second coin says."""
    if rng.random() < 0.5:
        return int(bit)
    return int(rng.random() < 0.5)


def k_randomized_response(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> int:
    """Return the value among 0, ..., k − 1, or one of the others."""
    if rng.random() < np.exp(epsilon) / (np.exp(epsilon) + k - 1):
        return int(value)
    other = int(rng.integers(k - 1))
    return other + (other >= value)


def randomized_response_many(bit: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return `size` independent answers of the same respondent."""
    truth, coin = rng.random((2, size)) < 0.5
    return np.where(truth, bit, coin).astype(np.int64)
