"""The piecewise mechanism with the bound of Duchi's mechanism.

    C = (e^ε + 1)/(e^ε − 1),  l = (C + 1) t/2 − (C − 1)/2,  r = l + C − 1
    report uniform on [l, r] with probability e^(ε/2)/(e^(ε/2) + 1), else on the rest of [−C, C]

Twin: piecewise_mean
Defect: C has ε where it needs ε/2, and the shorter [l, r] has too high a density.
Violation: DPA106
Known from: the B of Duchi, Jordan & Wainwright (2018) taken for the C of Wang et al. (2019).
True epsilon: 1.5 where 1 is claimed, on −1 against 1.
Information limit: 879 calls.
"""

from math import exp

import numpy as np


def piecewise_mean_wrong_c(
    value: float, rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return a number in [−C, C]."""
    t = min(1.0, max(-1.0, value))
    root = exp(epsilon / 2)
    c = (exp(epsilon) + 1) / (exp(epsilon) - 1)
    left = (c + 1) * t / 2 - (c - 1) / 2
    if rng.random() < root / (root + 1):
        return left + (c - 1) * rng.random()
    outside = (c + 1) * rng.random() - c
    return outside if outside < left else outside + (c - 1)
