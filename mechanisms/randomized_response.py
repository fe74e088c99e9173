"""Randomized response: each respondent lies with a known probability.

    coin:  heads: the truth; tails: toss again, heads: 1, tails: 0
    k-ary: the truth with probability e^ε/(e^ε + k − 1), each other answer with 1/(e^ε + k − 1)

Theorem: the coin version is (ln 3, 0)-differentially private (Warner 1965; Dwork & Roth 2014,
Claim 3.5), the k-ary version (ε, 0) (Kairouz, Bonawitz & Ramage 2016).
Sensitivity: none is used; the record itself is the input.
Relation: local, any two records.
Utility: a coin answer is 1 with probability 1/4 + x/2, so (answer − 1/4)·2 estimates x without
bias, with variance 3/4; k-ary counts have the variance of `frequency_oracle`.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.frequency_oracle import estimated_counts


def randomized_response(bit: int, rng: np.random.Generator) -> int:
    """Return the bit if the first coin shows heads, else what the second coin says."""
    if rng.random() < 0.5:
        return int(bit)
    return int(rng.random() < 0.5)


def randomized_response_many(bit: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return `size` independent answers of the same respondent."""
    truth, coin = rng.random((2, size)) < 0.5
    return np.where(truth, bit, coin).astype(np.int64)


def estimated_ones(answers: NDArray[np.int64]) -> float:
    """Return how many respondents hold 1, from one coin answer each."""
    return 2 * (float(answers.sum()) - len(answers) / 4)


def k_randomized_response(
    value: int, rng: np.random.Generator, *, k: int = 4, epsilon: float = 1.0
) -> int:
    """Return the value among 0, ..., k − 1, or one of the others."""
    if rng.random() < np.exp(epsilon) / (np.exp(epsilon) + k - 1):
        return int(value)
    other = int(rng.integers(k - 1))
    return other + (other >= value)


def estimated_k_counts(
    answers: NDArray[np.int64], *, k: int = 4, epsilon: float = 1.0
) -> NDArray[np.float64]:
    """Return how many respondents hold each value, from one k-ary answer each."""
    total = np.exp(epsilon) + k - 1
    support = np.bincount(answers, minlength=k)
    return estimated_counts(support, len(answers), p=np.exp(epsilon) / total, q=1 / total)
