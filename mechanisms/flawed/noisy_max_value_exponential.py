"""Report noisy max with exponential noise that tells the maximum, and not where it is.

    M(x) = max_i f_i(x) + Y_i,    Y_i ~ Exp(2/ε)

Twin: noisy_max
Defect: the noisy value leaves, and one-sided noise keeps it above the largest answer.
Violation: DPA107
Known from: ReportNoisyMax4 of DP-Sniper (Bichsel, Steffen, Bogunovic & Vechev 2021).
True epsilon: infinite, on 11111 against 22222: only the former can answer less than 2.
Information limit: 1,690 calls.
"""

import numpy as np
from numpy.typing import NDArray


def noisy_max_value_exponential(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> float:
    """Return the largest noisy answer."""
    return float(np.max(answers + rng.exponential(scale=2 / epsilon, size=len(answers))))
