"""The noisy vote of teachers that share their records.

    v_i = majority of x_{i−1}, x_i, x_{i+1}, in a ring;    M(x) = argmax_j n_j(v) + Lap(2/ε)

Twin: noisy_vote
Defect: a record teaches three teachers, and can turn three votes.
Violation: DPA105
Known from: bagging and cross-validation folds as teachers, where PATE needs disjoint parts.
True epsilon: 2.31 where 1 is claimed, on (0, 0, 0, 0, 1, 0, 0, 1) against (0, 0, 0, 0, 1, 1, 0, 1).
Information limit: 821 calls.
"""

import numpy as np

from mechanisms.noisy_vote import Votes, noisy_vote


def noisy_vote_overlapping_teachers(
    data: Votes, rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the label, 0 or 1, with the most votes after Laplace noise."""
    votes = np.roll(data, 1) + data + np.roll(data, -1) >= 2
    return noisy_vote(votes, rng, labels=2, epsilon=epsilon)
