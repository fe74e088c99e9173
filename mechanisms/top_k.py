"""The k best candidates in order, by one draw of Gumbel noise.

    M(x) = the indices of the k largest u(x, r) + Y_r, largest first,    Y_r ~ Gumbel(2kΔ/ε)

Theorem: M is (ε, 0)-differentially private: its output is distributed as that of k exponential
mechanisms with ε/k, each over the candidates that are left (Durfee & Rogers 2019), and their
privacy adds up (Dwork & Roth 2014, Theorem 3.16).
Sensitivity: Δ = max |u(x, r) − u(x', r)| over candidates r and neighbors; all may move at once.
Relation: any that bounds Δ; the input here is the scores u(x, ·), with Δ = 1.
Utility: with w(r) = exp(ε u(x, r) / (2kΔ)) and W their sum, the order (r_1, ..., r_k) has
probability Π_j w(r_j) / (W − w(r_1) − ... − w(r_{j−1})).
"""

import numpy as np
from numpy.typing import NDArray


def top_k(
    scores: NDArray[np.float64], rng: np.random.Generator, *, k: int = 3, epsilon: float = 1.0
) -> tuple[int, ...]:
    """Return the indices of k candidates, or of all in order where there are fewer."""
    noisy = scores + rng.gumbel(scale=2 * k / epsilon, size=len(scores))
    return tuple(np.argsort(-noisy)[:k].tolist())
