"""Duchi's mean without the clip.

    report B with probability 1/2 + x/(2B), else −B,  for any x,  B = (e^ε + 1)/(e^ε − 1)

Twin: duchi_mean
Defect: from |x| = B on the probability is 0 or 1, and the report certain.
Violation: DPA104
Known from: implementations that leave the scaling to [−1, 1] to the caller.
True epsilon: infinite where 1 is claimed, on any x ≤ −B against any x ≥ B = 2.164.
Information limit: 44 calls: every output tells.
"""

from math import exp

import numpy as np


def duchi_mean_unclipped(value: float, rng: np.random.Generator, *, epsilon: float = 1.0) -> float:
    """Return B or −B."""
    b = (exp(epsilon) + 1) / (exp(epsilon) - 1)
    return b if rng.random() < 1 / 2 + value / (2 * b) else -b
