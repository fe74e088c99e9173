"""Advanced composition: many answers, with a budget that grows like the root of their number.

    M(x) = (f_1(x) + Z_1, ..., f_k(x) + Z_k),    Pr[Z = z] ∝ e^(−ε₀|z|),    ε₀ by one of

    √(2k ln(1/δ)) ε₀ + k ε₀ (e^ε₀ − 1) ≤ ε                        (Dwork, Rothblum & Vadhan)
    E[(1 − e^(ε − L))⁺] ≤ δ,  L = (k − 2B) ε₀,  B ~ Bin(k, 1/(1 + e^ε₀))    (the optimal one)

Theorem: M is (ε, δ)-differentially private with either ε₀ (Dwork & Roth 2014, Theorem 3.20;
Kairouz, Oh & Viswanath 2015, Theorem 3.3). The optimal one is met exactly: where all counts
move, L is the loss of k geometric noises.
Sensitivity: 1 for each count f_i; all may move at once.
Relation: one record added or removed.
Utility: unbiased, variance 2α/(1 − α)² an answer, α = e^(−ε₀).
"""

from collections.abc import Callable
from math import exp, expm1, lgamma, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from mechanisms.sequential_composition import counts_above

THRESHOLDS = np.arange(5.0, 105.0, 5.0)


def _largest(fits: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        low, high = (m, high) if fits(m := (low + high) / 2) else (low, m)
    return low


def taught_epsilon(epsilon: float, delta: float, k: int) -> float:
    """Return the largest ε₀ of Theorem 3.20 for each of k answers."""
    root = sqrt(2 * k * log(1 / delta))
    return _largest(lambda e: root * e + k * e * expm1(min(e, 700.0)) <= epsilon)


def optimal_epsilon(epsilon: float, delta: float, k: int) -> float:
    """Return the largest ε₀ of all for each of k answers."""

    def log_chance(b: int, e: float) -> float:
        return lgamma(k + 1) - lgamma(b + 1) - lgamma(k - b + 1) - b * e - k * log1p(exp(-e))

    def spent(e: float, b: int) -> float:
        return -exp(log_chance(b, e)) * expm1(min(0.0, epsilon - (k - 2 * b) * e))

    return _largest(lambda e: sum(spent(e, b) for b in range(k + 1)) <= delta)


def advanced_composition(
    data: NDArray[np.float64], rng: np.random.Generator, *, per_answer: float = 0.1
) -> NDArray[np.int64]:
    """Return noisy counts of the records that reach each threshold; `per_answer` is ε₀."""
    p, k = -expm1(-per_answer), len(THRESHOLDS)
    noise = rng.geometric(p, size=k) - rng.geometric(p, size=k)
    return counts_above(data, THRESHOLDS) + noise
