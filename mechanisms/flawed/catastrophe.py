"""The catastrophe mechanism: once in a hundred calls it tells the truth.

    M(x) = x with probability δ, else x + Lap(Δ/ε)

Twin: laplace
Defect: with probability δ the answer leaves without noise, and the claim has no δ.
Violation: DPA102
Known from: every lecture on what the δ of (ε, δ) permits; with it the claim would hold.
True epsilon: infinite; δ(ε) = .01 for every ε of at least 1, on 0 against 1.
Information limit: 4,410 calls.
"""

import numpy as np


def catastrophe(
    answer: float,
    rng: np.random.Generator,
    *,
    delta: float = 0.01,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> float:
    """Return the answer with Laplace noise, or now and then without."""
    if rng.random() < delta:
        return float(answer)
    return answer + rng.laplace(scale=sensitivity / epsilon)
