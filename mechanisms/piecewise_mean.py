"""The piecewise mechanism: a number near the truth is likelier, far from it any is possible.

    C = (e^(ε/2) + 1)/(e^(ε/2) − 1),  l = (C + 1) t/2 − (C − 1)/2,  r = l + C − 1
    report uniform on [l, r] with probability e^(ε/2)/(e^(ε/2) + 1), else on the rest of [−C, C]

Theorem: (ε, 0)-differentially private: the density is p in [l, r] and p e^(−ε) outside (Wang et
al. 2019, the piecewise mechanism in one dimension).
Sensitivity: none is used; [l, r] lies within [−C, C] for every t in [−1, 1].
Relation: local, any two records; numbers outside [−1, 1] are clipped.
Utility: a report is unbiased for t, with variance
t²/(e^(ε/2) − 1) + (e^(ε/2) + 3)/(3 (e^(ε/2) − 1)²) (Wang et al. 2019).
"""

from math import exp

import numpy as np
from numpy.typing import NDArray


def piecewise_mean(value: float, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return a number in [−C, C] whose expectation is the value."""
    t = min(1.0, max(-1.0, value))  # in this order NaN becomes −1
    root = exp(epsilon / 2)
    c = (root + 1) / (root - 1)
    left = (c + 1) * t / 2 - (c - 1) / 2
    if rng.random() < root / (root + 1):
        return left + (c - 1) * rng.random()
    outside = (c + 1) * rng.random() - c
    return outside if outside < left else outside + (c - 1)


def estimated_mean(reports: NDArray[np.float64]) -> float:
    """Return the mean of the reports, 0 if there are none."""
    return float(reports.sum()) / max(1, len(reports))
