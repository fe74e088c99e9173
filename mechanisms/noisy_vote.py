"""The noisy vote of teachers that learned from disjoint parts of the data (PATE).

    M(v) = argmax_j n_j(v) + Lap(2/ε),    n_j(v) = |{i : v_i = j}|
    GNMax: argmax_j n_j(v) + N(0, σ²);    confident: GNMax if max_j n_j(v) + N(0, τ²) ≥ T, else ⊥

Theorem: M is (ε, 0)-differentially private (Papernot et al. 2017, with γ = ε/2). The histogram of
votes with N(0, σ²) is (√2/σ)-Gaussian DP and the check (1/τ)-Gaussian DP, which compose (Dong,
Roth & Su 2019; in Rényi DP Papernot et al. 2018, on the confident aggregator).
Sensitivity: one record reaches one teacher, one vote changes, and two counts move by 1 each: 2 in
the L1 norm, √2 in the L2 norm, 1 for the largest count.
Relation: one vote replaced, the number of teachers public; a record's teacher depends on that
record alone.
Utility: of two labels the one with fewer votes wins with probability (2 + t) e^{−t}/4, where
t = ε (n_1 − n_2)/2.
"""

import numpy as np
from numpy.typing import NDArray

Votes = NDArray[np.int64]


def counts(votes: Votes, labels: int) -> NDArray[np.int64]:
    """Return how many votes each label has; what is no label counts for none."""
    return np.count_nonzero(votes[:, None] == np.arange(labels), axis=0)


def noisy_vote(
    votes: Votes, rng: np.random.Generator, *, labels: int = 4, epsilon: float = 1.0
) -> int:
    """Return the label with the most votes after Laplace noise."""
    return int(np.argmax(counts(votes, labels) + rng.laplace(scale=2 / epsilon, size=labels)))


def confident_noisy_vote(
    votes: Votes,
    rng: np.random.Generator,
    *,
    labels: int = 4,
    threshold: float = 6.0,
    check_sigma: float = 2.0,
    sigma: float = 2.0,
) -> int:
    """Return the label with the most votes after Gaussian noise, or −1 without consensus."""
    given = counts(votes, labels)
    if given.max() + rng.normal(scale=check_sigma) < threshold:
        return -1
    return int(np.argmax(given + rng.normal(scale=sigma, size=labels)))
