"""Discrete Laplace noise as a geometric size with a random sign.

    M(x) = f(x) ± G,    Pr[G = g] = (1 − α) α^g,    α = e^(−ε)

Twin: discrete_laplace
Defect: 0 comes with either sign, and so twice as often as it should.
Violation: DPA106
Known from: the sampler of Canonne, Kamath & Steinke (2020) without the step that rejects −0.
True epsilon: 1.6931 where 1 is claimed, on 0 against 1: 1 + ln 2.
Information limit: 503 calls.
"""

import numpy as np


def discrete_laplace_double_zero(
    answer: int, rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return an integer answer with noise that is 0 too often."""
    size = int(rng.geometric(1 - np.exp(-epsilon))) - 1
    return int(answer) + (size if rng.random() < 0.5 else -size)
