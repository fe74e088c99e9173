"""MWEM: a synthetic histogram that learns, round by round, the worst of many linear queries.

    A_0 = n/k in every cell;    round t = 1, ..., T:
        q_t with Pr[q] ∝ exp(ε |q(A_{t−1}) − q(B)| / (4T)),    m_t = q_t(B) + Lap(2T/ε),
        A_t ∝ A_{t−1} exp(q_t (m_t − q_t(A_{t−1})) / (2n)), of total n;    M(x) = mean of A_1 … A_T

Theorem: M is (ε, 0)-differentially private (Hardt, Ligett & McSherry 2012, Theorem 2.1): each
round spends ε/(2T) on the choice and as much on the measurement.
Sensitivity: 1 for each query on the histogram B of x, since its coefficients lie in [0, 1].
Relation: one record replaced, n public. The queries and cells are fixed beforehand.
Utility: with probability 1 − 2T/|Q| every query is right within 2n √(ln k / T) + 10 T ln|Q| / ε
(Theorem 2.2).
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.exponential import exponential
from mechanisms.synthetic_histogram import counts

Array = NDArray[np.float64]

QUERIES = np.tri(7, 8)  # the number of records in cells 0, ..., i


def updated(weights: Array, query: Array, answer: float, n: int) -> Array:
    """Return the weights, moved towards the answer; their total stays n."""
    exponents = query * (answer - query @ weights) / (2 * n)
    grown = weights * np.exp(exponents - exponents.max())  # at most 1: no overflow
    return n * grown / grown.sum()


def multiplicative_weights(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    queries: Array = QUERIES,
    rounds: int = 8,
    epsilon: float = 1.0,
) -> Array:
    """Return the mean of the histograms after each round."""
    n, cells = max(1, len(data)), queries.shape[1]
    truth = queries @ counts(data, cells)
    weights, path = np.full(cells, n / cells), []
    for _ in range(rounds):
        errors = np.abs(queries @ weights - truth)
        chosen = exponential(errors, rng, epsilon=epsilon / (2 * rounds))
        answer = truth[chosen] + rng.laplace(scale=2 * rounds / epsilon)
        weights = updated(weights, queries[chosen], answer, n)
        path.append(weights)
    return np.mean(path, axis=0)
