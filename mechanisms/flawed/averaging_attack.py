"""The averaging attack: one question asked again and again, and the mean of the answers.

    M(x) = (1/k) Σ_{j ≤ k} (|x| + Lap_j(1/ε))

Twin: sequential_composition
Defect: each answer spends ε, and the budget is said to be ε because the question is the same.
Violation: DPA107
Known from: query servers with fresh noise for every request and no account of them.
True epsilon: 10 where 1 is claimed, in the tails, on () against one record, for ten answers.
Information limit: 106 calls.
"""

from collections.abc import Sized

import numpy as np


def averaging_attack(
    data: Sized, rng: np.random.Generator, *, repeats: int = 10, epsilon: float = 1.0
) -> float:
    """Return what an attacker makes of all answers: their mean."""
    return float(np.mean(len(data) + rng.laplace(scale=1 / epsilon, size=repeats)))
