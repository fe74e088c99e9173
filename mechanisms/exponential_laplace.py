"""The exponential mechanism over all real numbers, which is the Laplace mechanism.

    density of M(x) at r ∝ exp(ε u(x, r) / (2Δ)),    u(x, r) = −|f(x) − r|

Theorem: M is (ε, 0)-differentially private (McSherry & Talwar 2007). The normalizing integral
4Δ/ε is the same for every x, so that M is even (ε/2, 0)-differentially private: without the 2 it
would be the Laplace mechanism with its Lap(Δ/ε) (Dwork & Roth 2014, Theorem 3.6).
Sensitivity: Δ = max |f(x) − f(x')| over neighbors, which bounds |u(x, r) − u(x', r)| for every r.
Relation: any that bounds Δ; the input here is f(x) itself.
Utility: unbiased, variance 8Δ²/ε², four times that of the Laplace mechanism.
"""

import numpy as np


def exponential_laplace(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return a real number, chosen with density proportional to exp(ε u / 2Δ)."""
    return answer + rng.laplace(scale=2 * sensitivity / epsilon)
