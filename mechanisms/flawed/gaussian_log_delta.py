"""The Gaussian mechanism without the 1.25 in its formula.

    M(x) = f(x) + N(0, σ²),    σ = Δ √(2 ln(1/δ)) / ε

Twin: gaussian
Defect: the formula is proved with ln(1.25/δ); without it the noise is too little from some ε on,
though enough for the small ε that most people use.
Violation: DPA106
Known from: the formula as it is often quoted from memory, the tail bound of a Gaussian alone.
True epsilon: 7.529 at δ = .2 where 6 is claimed, on 0 against 1; δ(6) = .345. At (7, .01) the
true δ is .0145; at (1, 1e-5) the claim holds, with 5.3e-8.
Information limit: 81,900 calls.
"""

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray


def gaussian_log_delta(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 6.0,
    delta: float = 0.2,
) -> NDArray[np.float64]:
    """Return each answer with noise from the shorter formula."""
    sigma = sqrt(2 * log(1 / delta)) / epsilon
    return answers + rng.normal(scale=sigma, size=len(answers))
