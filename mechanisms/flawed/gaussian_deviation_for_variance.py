"""The Gaussian mechanism with σ on the diagonal of a covariance.

    M(x) ~ N(f(x), σ I),    σ = 3.730632 for (1, 1e-5) and Δ = 1

Twin: gaussian
Defect: the variance of the noise is σ where it should be σ².
Violation: DPA106
Known from: `multivariate_normal(answers, sigma * eye(k))`, whose second argument is a covariance.
True epsilon: 2.072 at δ = 1e-5 where 1 is claimed, on 0 against 1; δ(1) = .00847.
Information limit: 35,600 calls.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray


def gaussian_deviation_for_variance(
    answers: NDArray[np.float64], rng: np.random.Generator, *, sigma: float = 3.730632
) -> NDArray[np.float64]:
    """Return each answer with noise of variance σ, drawn as the sampler for covariances does."""
    return answers + sqrt(sigma) * rng.standard_normal(len(answers))
