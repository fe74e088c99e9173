"""The discrete Laplace mechanism, sampled exactly: no floating-point number is involved.

    M(x) = f(x) + Z,    Pr[Z = z] = (1 − α)/(1 + α) · α^|z|,    α = e^(−ε/Δ),    ε rational

Theorem: M is (ε, 0)-differentially private (Ghosh, Roughgarden & Sundararajan 2009); the sampler
asks for uniform integers alone (Canonne, Kamath & Steinke 2020, on sampling from it).
Sensitivity: Δ = max |f(x) − f(x')| over neighbors, an integer.
Relation: any that bounds Δ; the input here is the integer f(x) itself.
Utility: unbiased, variance 2α/(1 − α)².
"""

from fractions import Fraction

import numpy as np


def bernoulli_exp(numerator: int, denominator: int, coins: np.random.Generator) -> bool:
    """Return True with probability e^(−numerator/denominator), by von Neumann's method."""
    while numerator > denominator:
        if not bernoulli_exp(1, 1, coins):
            return False
        numerator -= denominator
    k = 1
    while coins.integers(k * denominator) < numerator:
        k += 1
    return k % 2 == 1


def two_sided_geometric(decay: Fraction, coins: np.random.Generator) -> int:
    """Return z with probability proportional to e^(−decay·|z|)."""
    s, t = decay.numerator, decay.denominator
    while True:
        u = int(coins.integers(t))
        if not bernoulli_exp(u, t, coins):
            continue
        v = 0
        while bernoulli_exp(1, 1, coins):
            v += 1
        magnitude = (u + t * v) // s  # u + tv is geometric with decay 1/t
        negative = bool(coins.integers(2))
        if magnitude or not negative:  # a second zero would count 0 twice
            return -magnitude if negative else magnitude


def discrete_laplace(
    answer: int,
    rng: np.random.Generator,
    *,
    epsilon: Fraction = Fraction(1),
    sensitivity: int = 1,
) -> int:
    """Return an integer answer with two-sided geometric noise."""
    return int(answer) + two_sided_geometric(epsilon / sensitivity, rng)
