"""The discrete Gaussian mechanism with σ passed for σ².

    M(x) = f(x) + Z,    Pr[Z = z] ∝ e^(−z²/2σ),    σ² = 14 for (1, 1e-5)

Twin: discrete_gaussian
Defect: the parameter of the distribution is σ where the calibration gave σ².
Violation: DPA106
Known from: samplers that take the variance, as rational numbers suggest, called with a deviation.
True epsilon: 2.04 at δ = 1e-5 where 1 is claimed, on 0 against 1; δ(1) = .00829.
Information limit: 35,300 calls.
"""

from fractions import Fraction
from math import sqrt

import numpy as np

from mechanisms.discrete_gaussian import discrete_gaussian


def discrete_gaussian_sigma_for_variance(
    answer: int, rng: np.random.Generator, *, variance: Fraction = Fraction(14)
) -> int:
    """Return an integer answer with discrete Gaussian noise of variance √14."""
    sigma = Fraction(sqrt(variance)).limit_denominator(1000)
    return discrete_gaussian(answer, rng, variance=sigma)
