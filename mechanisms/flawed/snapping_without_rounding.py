"""The snapping mechanism that only clamps.

    M(x) = clamp_B( clamp_B(x) ⊕ S ⊗ λ ⊗ LN(U) )

Twin: snapping
Defect: the step that rounds to multiples of Λ is missing, and with it what hides the grid of x.
Violation: DPA111
Known from: Mironov (2012), which says why each of the steps is needed.
True epsilon: infinite in the arithmetic of doubles, on 0 against 1; ε with real numbers.
Information limit: 303 calls, if the grid of the output is all one looks at.
"""

from math import log

import numpy as np

from mechanisms.snapping import clamp, uniform


def snapping_without_rounding(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, bound: float = 1024.0
) -> float:
    """Return a clamped answer with clamped Laplace noise."""
    scale = (1 + 2**-49 * bound) / epsilon
    sign = 1 if rng.integers(2) else -1
    return clamp(clamp(answer, bound) + sign * scale * log(uniform(rng)), bound)
