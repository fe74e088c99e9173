"""The binomial mechanism: noise from fair coins, for servers that can do no more than add.

    M(x) = f(x) + B − n/2,    B ~ Bin(n, 1/2)

Theorem: M is (ε, δ)-differentially private exactly when, with K = ⌈(n + 1)/(1 + e^ε)⌉ − 1,
Pr[B ≤ K] − e^ε Pr[B ≤ K − 1] ≤ δ: the ratio (n − k + 1)/k of neighboring probabilities falls in
k. Here n is a multiple of 8 for which integer arithmetic shows this (the mechanism: Dwork,
Kenthapadi, McSherry, Mironov & Naor 2006; sharper bounds: Agarwal et al. 2018).
Sensitivity: 1, for integers f(x).
Relation: any with that bound; the input here is the integer f(x) itself.
Utility: unbiased, variance n/4.
"""

from fractions import Fraction
from functools import cache
from math import exp, nextafter

import numpy as np


def spends_at_most(delta: float, n: int, epsilon: float) -> bool:
    """Return whether n coins give (epsilon, delta), by exact sums."""
    t = Fraction(nextafter(exp(epsilon), 0.0))  # rounded down, which raises the left side
    below, weight, total = 0, 1, 0
    for k in range(n + 1):
        if k * (1 + t) >= n + 1:
            break
        below, total = total, total + weight
        weight = weight * (n - k) // (k + 1)
    return total - t * below <= Fraction(delta) * 2**n


@cache
def coins_needed(epsilon: float, delta: float) -> int:
    """Return a number of coins that gives (epsilon, delta), found by doubling and halving."""
    low, high = 0, 1
    while not spends_at_most(delta, 8 * high, epsilon):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if spends_at_most(delta, 8 * middle, epsilon) else (middle, high)
    return 8 * high


def binomial(
    answer: int, rng: np.random.Generator, *, epsilon: float = 1.0, delta: float = 1e-5
) -> int:
    """Return an integer answer plus the number of heads beyond one half."""
    n = coins_needed(epsilon, delta)
    return int(answer) + int.from_bytes(rng.bytes(n // 8), "big").bit_count() - n // 2
