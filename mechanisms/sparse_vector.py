"""The sparse vector technique with several hits, in its two standard forms.

    T̂ = T + Lap(2/ε);  for each answer: ⊤ if f_i(x) + Lap(4c/ε) ≥ T̂, else ⊥;  stop after c ⊤

    refreshed:  T̂ = T + Lap(2c/ε), drawn again after each ⊤

Theorem: both are (ε, 0)-differentially private for any number of answers: the first is Algorithm 1
of Lyu, Su & Li 2017, the second Algorithm 2 of Dwork & Roth 2014 with δ = 0 (Theorem 3.25).
Sensitivity: each answer moves by at most 1; all may move at once, in any direction.
Relation: any with that bound; the input here is the answers f_i(x).
Utility: refreshed: with probability 1 − β every reported answer is right within
8c (ln k + ln(2c/β)) / ε, unless more than c come that close to T (Theorem 3.26).
"""

import numpy as np
from numpy.typing import NDArray


def sparse_vector(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 2,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, at most `hits` of which are True."""
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    flags: list[bool] = []
    for answer in answers:
        flags.append(bool(answer + rng.laplace(scale=4 * hits / epsilon) >= noisy_threshold))
        if sum(flags) == hits:
            break
    return tuple(flags)


def sparse_vector_refreshed(
    answers: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    epsilon: float = 1.0,
    hits: int = 2,
    threshold: float = 1.0,
) -> tuple[bool, ...]:
    """Return one flag an answer, and draw the threshold's noise anew after each True."""
    noisy_threshold = threshold + rng.laplace(scale=2 * hits / epsilon)
    flags: list[bool] = []
    for answer in answers:
        flags.append(bool(answer + rng.laplace(scale=4 * hits / epsilon) >= noisy_threshold))
        if flags[-1]:
            noisy_threshold = threshold + rng.laplace(scale=2 * hits / epsilon)
        if sum(flags) == hits:
            break
    return tuple(flags)
