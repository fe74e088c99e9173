"""The binomial mechanism with as many coins as the variance it needs.

    M(x) = f(x) + B − n/2,    B ~ Bin(n, 1/2),    n = σ²

Twin: binomial
Defect: a fair coin has variance 1/4, so that variance σ² takes 4σ² coins: 64 here, not 16.
Violation: DPA106
Known from: matching the binomial to the Gaussian mechanism with variance one a coin.
True epsilon: infinite at δ = 1e-5 where 1 is claimed, on 0 against 1: an end of the range has
probability 1.5e-5; δ(1) = .0095.
Information limit: 25,800 calls.
"""

import numpy as np

from mechanisms.binomial import coins_needed


def binomial_too_few_coins(
    answer: int, rng: np.random.Generator, *, epsilon: float = 1.0, delta: float = 1e-5
) -> int:
    """Return an integer answer plus the heads beyond one half of too few coins."""
    n = coins_needed(epsilon, delta) // 4
    return int(answer) + int.from_bytes(rng.bytes(n // 8), "big").bit_count() - n // 2
