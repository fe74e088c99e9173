"""The privacy filter that charges every query what the first one cost.

    for i = 1, 2, ...:  (q_i, ε_i) from the analyst;  halt if i ε_1 > ε, else q_i(x) + Geom(ε_i)

Twin: privacy_filter
Defect: prices are fixed before the first answer, and the analyst chooses higher ones later.
Violation: DPA107
Known from: composition theorems for prices that are fixed in advance, used where they are not.
True epsilon: 1.75 where 1 is claimed, on () against (100), when four answers cost ε/4 and 3 · ε/2.
Information limit: 3,370 calls.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mechanisms.geometric import geometric
from mechanisms.privacy_filter import bisecting


def filter_fixed_price(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    analyst: Callable[[Sequence[int], float], tuple[float, float]] = bisecting,
) -> tuple[int, ...]:
    """Return the answers that the analyst got before the halt."""
    answers: list[int] = []
    _, first_price = analyst(answers, epsilon)
    while (len(answers) + 1) * first_price <= epsilon:
        threshold, price = analyst(answers, epsilon)
        answers.append(geometric(data >= threshold, rng, epsilon=price))
    return tuple(answers)
