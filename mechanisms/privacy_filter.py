"""The privacy filter: an analyst chooses queries and prices, and is halted before the budget ends.

    for i = 1, 2, ...:  (q_i, ε_i) from the analyst, in the light of all answers so far;
                        halt if ε_1 + ... + ε_i > ε, else answer q_i(x) + Geom(ε_i)

Theorem: what an analyst sees is (ε, 0)-differentially private, whatever the rule of choice (Rogers,
Roth, Ullman & Vadhan 2016, on filters for pure privacy; Whitehouse et al. 2023 with δ). The price
is checked before the answer is given.
Sensitivity: 1; q_i counts the records that reach a threshold.
Relation: one record added, removed or replaced.
Utility: unbiased, variance 2α/(1 − α)² an answer, α = e^(−ε_i).
"""

from collections.abc import Callable, Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from mechanisms.geometric import geometric


def bisecting(answers: Sequence[int], epsilon: float) -> tuple[float, float]:
    """Search for the second largest record; after an answer that is small, pay twice as much."""
    threshold, step, price = 50.0, 25.0, epsilon / 4
    for answer in answers:
        small = answer < 2
        threshold += -step if small else step
        step /= 2
        price = epsilon / 2 if small else epsilon / 4
    return threshold, price


def privacy_filter(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    analyst: Callable[[Sequence[int], float], tuple[float, float]] = bisecting,
) -> tuple[int, ...]:
    """Return the answers that the analyst got before the halt."""
    answers: list[int] = []
    prices: list[float] = []
    while True:
        threshold, price = analyst(answers, epsilon)
        if not price > 0 or fsum([*prices, price]) > epsilon:
            return tuple(answers)
        prices.append(price)
        answers.append(geometric(data >= threshold, rng, epsilon=price))
