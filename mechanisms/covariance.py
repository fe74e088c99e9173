"""The noisy sample covariance of two columns of n records, whose number is public.

    M(x, y) = Σ (x_i − x̄)(y_i − ȳ) / (n − 1) + Lap((u − l)(u' − l')/(nε)),    after the clip

Theorem: M is (ε, 0)-differentially private (Laplace mechanism: Dwork & Roth 2014, Theorem 3.6).
Sensitivity: (u − l)(u' − l')/n, exactly. With m, m' the means of the other n − 1 records, the sum
is theirs plus (n − 1)/n (x_n − m)(y_n − m'). Scaled to [0, 1], that product is bilinear and extreme
at the corners, whose values differ by m, 1 − m, m', 1 − m', m − m' or 1 − m − m': by at most 1, and
by 1 where all others are (0, 0).
Relation: one record, a pair (x_i, y_i), replaced.
Utility: variance 2 (u − l)²(u' − l')²/(nε)² around the sample covariance of the clipped records.
"""

import numpy as np
from numpy.typing import NDArray


def covariance(
    data: NDArray[np.void],
    rng: np.random.Generator,
    *,
    x_range: tuple[float, float] = (0.0, 1.0),
    y_range: tuple[float, float] = (0.0, 1.0),
    epsilon: float = 1.0,
) -> float:
    """Return the sample covariance of the columns x and y plus noise; 0 for fewer than two rows."""
    n = max(2, len(data))
    x = np.fmin(np.fmax(data["x"], x_range[0]), x_range[1])
    y = np.fmin(np.fmax(data["y"], y_range[0]), y_range[1])
    products = (x - x.sum() / max(1, len(data))) @ (y - y.sum() / max(1, len(data)))
    area = (x_range[1] - x_range[0]) * (y_range[1] - y_range[0])
    return float(products) / (n - 1) + rng.laplace(scale=area / (n * epsilon))
