"""The noisy covariance that is published with the exact means.

    M(x, y) = (Σ (x_i − x̄)(y_i − ȳ) / (n − 1) + Lap((u − l)(u' − l')/(nε)), x̄, ȳ)

Twin: covariance
Defect: the means, which "only centre the columns", leave without noise.
Violation: DPA101
Known from: tables of means next to a protected covariance matrix.
True epsilon: infinite, on any two neighbors.
Information limit: 44 calls: every output tells.
"""

import numpy as np
from numpy.typing import NDArray

from mechanisms.covariance import covariance


def covariance_raw_means(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[float, float, float]:
    """Return the noisy covariance of the columns x and y, and their means."""
    n = max(1, len(data))
    x_mean, y_mean = float(data["x"].sum()) / n, float(data["y"].sum()) / n
    return covariance(data, rng, epsilon=epsilon), x_mean, y_mean
