"""The exponential mechanism without the 2 in its exponent.

    Pr[M(x) = r] ∝ exp(ε u(x, r) / Δ)

Twin: exponential
Defect: the exponent lacks the factor 1/2 that pays for the change of the normalizing sum.
Violation: DPA106
Known from: the formula for scores that move one way, used where they move both ways.
True epsilon: 1.47 where 1 is claimed, on scores (0, 1, 1, 1) against (1, 0, 0, 0); up to 2.
Information limit: 2,000 calls.
"""

import numpy as np
from numpy.typing import NDArray


def exponential_without_two(
    scores: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> int:
    """Return the index of a candidate, chosen in proportion to exp(ε u / Δ)."""
    exponents = epsilon * scores / sensitivity
    weights = np.exp(exponents - exponents.max())
    cumulated = weights.cumsum()
    return int(cumulated.searchsorted(rng.random() * cumulated[-1], side="right"))
