"""The noisy vote with one-sided noise, which also tells the winner's noisy count.

    M(v) = (j, n_j(v) + Y_j) for j = argmax n_j(v) + Y_j,    Y_j ~ Exp(2/ε)

Twin: noisy_vote
Defect: exponential noise pays for the index of the winner alone (permute-and-flip); its value is
never below the largest count.
Violation: DPA106
Known from: noisy max that returns the noisy maximum it has at hand; with Lap(2/ε) the whole noisy
histogram could be released.
True epsilon: infinite, on sixteen votes for one label against fifteen and one for another.
Information limit: 202 calls.
"""

import numpy as np

from mechanisms.noisy_vote import Votes, counts


def noisy_vote_winner_count(
    votes: Votes, rng: np.random.Generator, *, labels: int = 4, epsilon: float = 1.0
) -> tuple[int, float]:
    """Return the label with the most votes after exponential noise, and its noisy count."""
    noisy = counts(votes, labels) + rng.exponential(scale=2 / epsilon, size=labels)
    return int(np.argmax(noisy)), float(noisy.max())
