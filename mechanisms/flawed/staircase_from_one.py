"""The staircase mechanism with a geometric variable that starts at one.

    M(x) = f(x) ± Δ (G + Y),    G geometric from 1,    Y on [0, 1] as in the paper

Twin: staircase
Defect: the noise is never smaller than Δ, which leaves a hole around the answer.
Violation: DPA106
Known from: samplers, NumPy's among them, that count trials where the paper counts failures.
True epsilon: infinite, with δ(1) = .316, on 0 against 1: the former never yields (−1, 1).
Information limit: 140 calls.
"""

from math import exp

import numpy as np


def staircase_from_one(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with staircase noise that is too far away."""
    b = exp(-epsilon)
    gamma = 1 / (1 + exp(epsilon / 2))
    step = rng.geometric(1 - b)
    if rng.random() < gamma / (gamma + (1 - gamma) * b):
        part = gamma * rng.random()
    else:
        part = gamma + (1 - gamma) * rng.random()
    sign = 1 if rng.random() < 0.5 else -1
    return answer + sign * sensitivity * (step + part)
