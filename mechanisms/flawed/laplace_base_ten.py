"""The Laplace mechanism by inversion, with the logarithm to base ten.

    M(x) = x ± (Δ/ε) log₁₀(U),    U uniform on (0, 1)

Twin: laplace
Defect: log₁₀ stands where the inverse of an exponential's distribution function has ln.
Violation: DPA106
Known from: the textbook formula in languages whose LOG is decimal: spreadsheets, PostgreSQL.
True epsilon: 2.3026 where 1 is claimed, on 0 against 1: ln 10 times as much. To base two the
noise would be larger than it need be, and ε ln 2 true.
Information limit: 207 calls.
"""

from math import log

import numpy as np


def laplace_base_ten(
    answer: float,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
    base: float = 10.0,
) -> float:
    """Return one answer with noise from a logarithm to another base than e."""
    sign = 1 if rng.random() < 0.5 else -1
    return answer + sign * sensitivity / epsilon * log(1 - rng.random(), base)
