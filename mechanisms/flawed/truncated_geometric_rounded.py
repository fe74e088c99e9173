"""The truncated geometric mechanism with the natural logarithm in its rounding.

    M(c) = min(max(c + Z, 0), n),    Pr[Z = z] ∝ α^|z|,    α = 2^k/(2^k + 1),    k = ⌈ln(2/ε)⌉

Twin: truncated_geometric
Defect: ln stands where the powers of two need log₂, and k is 3 where it should be 5.
Violation: DPA106
Known from: the benchmark of DP-Sniper (Bichsel et al. 2021), which reads the log of Balcer &
Vadhan (2018) so.
True epsilon: .11778 where .1 is claimed, on any count against the next: ln(9/8).
Information limit: 351,000 calls.
"""

from math import ceil, log

import numpy as np

from mechanisms.truncated_geometric import distribution


def truncated_geometric_rounded(
    count: int, rng: np.random.Generator, *, epsilon: float = 0.1, n: int = 5
) -> int:
    """Return a noisy count in 0..n."""
    k = max(0, ceil(log(2 / epsilon)))
    cumulative, d = distribution(min(max(int(count), 0), n), n, k)
    draw = int(rng.integers(d)) + 1
    return next(z for z, weight in enumerate(cumulative) if draw <= weight)
