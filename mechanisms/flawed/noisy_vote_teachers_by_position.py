"""The noisy vote of teachers that learn from consecutive parts of the data.

    v_i = 1 if half of the records of part i are 1, parts as `array_split(x, 8)` makes them;
    M(x) = argmax_j n_j(v) + Lap(2/ε)

Twin: noisy_vote
Defect: a record that goes moves every later record to the part before.
Violation: DPA112
Known from: partitions by index, as in `split(range(n), teachers)`.
True epsilon: 2.90 where 1 is claimed, on (0, 0, 1, 1) four times over against the same without its
first record.
Information limit: 272 calls.
"""

import numpy as np

from mechanisms.noisy_vote import Votes, noisy_vote


def noisy_vote_teachers_by_position(
    data: Votes, rng: np.random.Generator, *, teachers: int = 8, epsilon: float = 1.0
) -> int:
    """Return the label, 0 or 1, with the most votes after Laplace noise."""
    parts = np.array_split(data, teachers)
    votes = np.array([2 * part.sum() >= max(1, len(part)) for part in parts])
    return noisy_vote(votes, rng, labels=2, epsilon=epsilon)
