"""The stability-based histogram: counts of the values that occur, without a list of values.

    M(x) = {v: c_v + Y_v for v in x if c_v + Y_v > T},    c_v = |{i : x_i = v}|,  Y_v ~ Lap(1/ε)
    T = 1 + ln(1/2δ)/ε

Theorem: M is (ε, δ)-differentially private (Korolova, Kenthapadi, Mishra & Ntoulas 2009; Bun,
Nissim & Stemmer 2016; Vadhan 2017 has Lap(2/ε) and T = 1 + 2 ln(2/δ)/ε for replacement). A value
that one record alone has shows with probability exactly δ.
Sensitivity: 1 in the L1 norm for values that both neighbors have.
Relation: one record added or removed; δ ≤ 1/2.
Utility: a value with c_v ≥ T is missed with probability ½ e^(−ε(c_v − T)).
"""

from math import log

import numpy as np
from numpy.typing import NDArray


def stability_histogram(
    data: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    delta: float = 0.01,
) -> dict[float, float]:
    """Return a noisy count for each value that occurs often enough."""
    values, counts = np.unique(data + 0.0, return_counts=True)  # −0 shows as 0
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    kept = noisy > 1 + log(1 / (2 * delta)) / epsilon
    return dict(zip(values[kept].tolist(), noisy[kept].tolist(), strict=True))
