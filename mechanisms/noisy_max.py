"""Report noisy max: the index of the largest noisy answer, and nothing else.

    M(x) = argmax_i f_i(x) + Y_i,    Y_i ~ Lap(2Δ/ε),  Exp(2Δ/ε)  or  Gumbel(2Δ/ε)

Theorem: M is (ε, 0)-differentially private with each noise (Dwork & Roth 2014, Claim 3.9 for
Lap(1/ε) on counts that move one way, which general answers pay twice; Ding, Kifer et al. 2021
for exponential noise, which makes it permute-and-flip; with Gumbel noise it is the exponential
mechanism, so that McSherry & Talwar 2007 applies).
Sensitivity: Δ = max |f_i(x) − f_i(x')| over answers i and neighbors; all may move at once.
Relation: any that bounds Δ; the input here is the answers, with Δ = 1.
Utility: with probability 1 − β the chosen answer lies within (4/ε) ln(k/β) of the best of k.
"""

import numpy as np
from numpy.typing import NDArray


def report_noisy_max(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the index of the largest answer after Laplace noise."""
    return int(np.argmax(answers + rng.laplace(scale=2 / epsilon, size=len(answers))))


def report_noisy_max_exponential(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the index of the largest answer after exponential noise."""
    return int(np.argmax(answers + rng.exponential(scale=2 / epsilon, size=len(answers))))


def report_noisy_max_gumbel(
    answers: NDArray[np.float64], rng: np.random.Generator, *, epsilon: float = 1.0
) -> int:
    """Return the index of the largest answer after Gumbel noise."""
    return int(np.argmax(answers + rng.gumbel(scale=2 / epsilon, size=len(answers))))
