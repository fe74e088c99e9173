"""The noisy vote with noise for one count that moves, where two do.

    M(v) = argmax_j n_j(v) + Lap(1/ε)

Twin: noisy_vote
Defect: a vote that changes leaves one count and enters another; the noise pays for one of them.
Violation: DPA105
Known from: γ = ε read into "Lap(1/γ)", where the theorem says 2γ.
True epsilon: 1.92 where 1 is claimed, on sixteen votes for one label against fifteen and one for
another; 2 for ever more votes.
Information limit: 3,950 calls, on eight votes for each of two labels against seven and nine.
"""

import numpy as np

from mechanisms.noisy_vote import Votes, counts


def noisy_vote_one_count(
    votes: Votes, rng: np.random.Generator, *, labels: int = 4, epsilon: float = 1.0
) -> int:
    """Return the label with the most votes after Laplace noise."""
    return int(np.argmax(counts(votes, labels) + rng.laplace(scale=1 / epsilon, size=labels)))
