"""The privacy odometer: each answer comes with what has been spent so far, and the analyst decides.

    for i = 1, ..., k:  a_i = q(x) + Geom(ε/k);  read iε/k;  stop as soon as a_i ε/k ≥ 4

Theorem: the loss of every transcript is at most its last reading, wherever the analyst stops
(Rogers, Roth, Ullman & Vadhan 2016, on odometers; for pure privacy the sum of the prices is one).
No transcript is longer than k, so that it is (ε, 0)-differentially private.
Sensitivity: 1; q counts the records that reach a threshold.
Relation: one record added, removed or replaced.
Utility: unbiased first answer, variance 2α/(1 − α)², α = e^(−ε/k).
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.geometric import geometric


def privacy_odometer(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    threshold: float = 50.0,
    queries: int = 4,
    epsilon: float = 1.0,
) -> tuple[tuple[int, float], ...]:
    """Return (answer, reading) until an answer is large against its noise."""
    price = epsilon / queries
    transcript = []
    for asked in range(1, queries + 1):
        answer = geometric(data >= threshold, rng, epsilon=price)
        transcript.append((answer, epsilon * asked / queries))
        if answer * price >= 4:
            break
    return tuple(transcript)
