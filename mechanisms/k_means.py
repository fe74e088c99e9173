"""k-means by T noisy rounds of Lloyd's algorithm (DPLloyd).

    in each round, for each cluster j of the points nearest to c_j:
    S_j = Σ x_i + Lap(b)^d,    N_j = |cluster j| + Lap(b),    c_j = S_j / max(1, N_j),
    b = (d + 1)T/ε

Theorem: M is (ε, 0)-differentially private: T rounds with ε/T each, whose clusters are chosen by
public or released centres (Blum, Dwork, McSherry & Nissim 2005; Su, Cao, Li, Bertino & Jin 2016;
composition: Dwork & Roth 2014, Theorem 3.16).
Sensitivity: d + 1 a round in the L1 norm: a point of [−1, 1]^d lies in one cluster and adds at most
d to its sum, 1 to its size.
Relation: one point added or removed (NaN counts as −1).
Utility: for a cluster of n points with sum s, the squared error of a coordinate is that of a noisy
sum over a noisy count with scales b: about 2b²(1 + (s/n)²)/n².
"""

import numpy as np
from numpy.typing import NDArray

CENTRES = np.array([[-0.5, -0.5], [0.5, 0.5]])


def centres_of(sums_and_sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the centres, shape (k, d), of one round."""
    return sums_and_sizes[:, :-1] / np.maximum(1.0, sums_and_sizes[:, -1:])


def k_means(
    data: NDArray[np.void],
    rng: np.random.Generator,
    *,
    centres: NDArray[np.float64] = CENTRES,
    rounds: int = 3,
    epsilon: float = 1.0,
) -> NDArray[np.float64]:
    """Return the noisy sums and sizes of each round, shape (rounds, k, d + 1)."""
    k, d = centres.shape
    points = np.fmin(np.fmax([data[c] for c in data.dtype.names], -1.0), 1.0).T
    counted = np.column_stack([points, np.ones(len(points))])
    path = []
    for _ in range(rounds):
        nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        sums_and_sizes = (nearest == np.arange(k)[:, None]) @ counted
        path.append(sums_and_sizes + rng.laplace(scale=(d + 1) * rounds / epsilon, size=(k, d + 1)))
        centres = centres_of(path[-1])
    return np.array(path)
