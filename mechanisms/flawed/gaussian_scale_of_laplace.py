"""The Gaussian mechanism with the scale of the Laplace mechanism.

    M(x) = f(x) + N(0, (Δ/ε)²)

Twin: gaussian
Defect: σ is Δ/ε, which is what Laplace noise needs; the factor that δ asks for is missing.
Violation: DPA106
Known from: `rng.laplace(scale=s / epsilon)` turned into `rng.normal(scale=s / epsilon)`.
True epsilon: 4.377 at δ = 1e-5 where 1 is claimed, on 0 against 1; δ(1) = .127.
Information limit: 1,010 calls.
"""

import numpy as np
from numpy.typing import NDArray


def gaussian_scale_of_laplace(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return each answer with noise of deviation Δ/ε."""
    return answers + rng.normal(scale=sensitivity / epsilon, size=len(answers))
