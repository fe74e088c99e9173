"""The Laplace mechanism by inversion, as doubles compute it.

    M(x) = x ⊖ b ⊗ sgn(U) ⊗ LN(1 ⊖ 2|U|),    U uniform on [−1/2, 1/2),    b = Δ/ε

Twin: snapping
Defect: a sum is rounded to the grid of the larger summand; near 0 an output of x = 0 lies on
finer grids than any output of x = 1.
Violation: DPA111
Known from: Mironov, "On significance of the least significant bits for differential privacy"
(2012), which found it in every library of the day.
True epsilon: infinite in the arithmetic of doubles, on 0 against 1; ε with real numbers.
Information limit: 303 calls, if the grid of the output is all one looks at.
"""

from math import copysign, log

import numpy as np


def laplace_float(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with Laplace noise by inversion."""
    u = rng.random() - 0.5
    return answer - copysign(sensitivity / epsilon, u) * log(1 - 2 * abs(u))
