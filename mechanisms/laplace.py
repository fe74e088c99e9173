"""The Laplace mechanism.

    M(x) = f(x) + (Y_1, ..., Y_k),    Y_i ~ Lap(Δ/ε) independent

Theorem: M is (ε, 0)-differentially private (Dwork & Roth 2014, Theorem 3.6).
Sensitivity: Δ = max ‖f(x) − f(x')‖₁ over neighbors x, x'.
Relation: any that bounds Δ; the input here is f(x) itself, so neighbors are answers that lie
at most Δ apart.
Utility: unbiased, variance 2 (Δ/ε)² an answer (Theorem 3.8 for the tail).
"""

import numpy as np
from numpy.typing import NDArray


def laplace(
    answer: float, rng: np.random.Generator, *, epsilon: float = 1.0, sensitivity: float = 1.0
) -> float:
    """Return one answer with Laplace noise."""
    return answer + rng.laplace(scale=sensitivity / epsilon)


def laplace_vector(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return each answer with noise of its own; `sensitivity` is in the L1 norm."""
    return answers + rng.laplace(scale=sensitivity / epsilon, size=len(answers))


def laplace_many(
    answer: float,
    size: int,
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return `size` independent outputs of `laplace` on the same answer."""
    return answer + rng.laplace(scale=sensitivity / epsilon, size=size)
