"""The privacy filter that looks at the budget after it has answered.

    for i = 1, 2, ...:  (q_i, ε_i) from the analyst;  answer q_i(x) + Geom(ε_i);
                        halt if ε_1 + ... + ε_i ≥ ε

Twin: privacy_filter
Defect: the last answer is given whatever it costs, and the sum may pass ε.
Violation: DPA107
Known from: loops `while spent < budget`, whose last round may spend more than is left.
True epsilon: 1.25 where 1 is claimed, on () against (100), when three answers cost ε/4, ε/2, ε/2.
Information limit: 14,000 calls.
"""

from collections.abc import Callable, Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from mechanisms.geometric import geometric
from mechanisms.privacy_filter import bisecting


def filter_checks_late(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    analyst: Callable[[Sequence[int], float], tuple[float, float]] = bisecting,
) -> tuple[int, ...]:
    """Return the answers that the analyst got before the halt."""
    answers: list[int] = []
    prices: list[float] = []
    while fsum(prices) < epsilon:
        threshold, price = analyst(answers, epsilon)
        prices.append(price)
        answers.append(geometric(data >= threshold, rng, epsilon=price))
    return tuple(answers)
