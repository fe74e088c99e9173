"""The confident noisy vote whose check for consensus has no noise.

    M(v) = argmax_j n_j(v) + Lap(2/ε) if max_j n_j(v) ≥ T, else ⊥

Twin: noisy_vote
Defect: whether there is an answer depends on the votes, and nothing pays for it.
Violation: DPA108
Known from: "answer only where the teachers agree", without the noise of Papernot et al. (2018).
True epsilon: infinite, on (6, 4, 3, 3) votes for the labels against (5, 5, 3, 3).
Information limit: 44 calls: every output tells.
"""

import numpy as np

from mechanisms.noisy_vote import Votes, counts, noisy_vote


def noisy_vote_raw_check(
    votes: Votes,
    rng: np.random.Generator,
    *,
    labels: int = 4,
    threshold: int = 6,
    epsilon: float = 1.0,
) -> int:
    """Return the noisy vote, or −1 where no label has `threshold` votes."""
    if counts(votes, labels).max() < threshold:
        return -1
    return noisy_vote(votes, rng, labels=labels, epsilon=epsilon)
