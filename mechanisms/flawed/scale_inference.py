"""Inference of the scale: the spread of repeated answers tells how large the noise is.

    y_j = mean(x) + Lap_j(b),    b = k (u − l)/(|x| ε);    M(x) = (2/(3m)) Σ_{j ≤ m} |y_2j − y_2j−1|

Twin: sequential_composition
Defect: the scale depends on the private size; the mean cancels in the differences, whose average
estimates b.
Violation: DPA103
Known from: local sensitivity as the scale of a mean. The k = 2m answers do share the budget.
True epsilon: infinite in the tail, on one record against two, whose scales are 2:1.
Information limit: 181 calls.
"""

import numpy as np
from numpy.typing import NDArray


def scale_inference(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    low: float = 0.0,
    high: float = 100.0,
    pairs: int = 5,
    epsilon: float = 1.0,
) -> float:
    """Return what an attacker makes of all answers: an estimate of their scale."""
    n, k = max(1, len(data)), 2 * pairs
    mean = float(np.fmin(np.fmax(data, low), high).sum()) / n
    answers = mean + rng.laplace(scale=k * (high - low) / (n * epsilon), size=k)
    return float(np.abs(np.diff(answers.reshape(pairs, 2))).mean()) * 2 / 3
