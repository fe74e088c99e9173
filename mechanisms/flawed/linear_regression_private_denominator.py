"""The slope of a regression with noise in proportion to 1/nvar.

    M(x, y) = ncov/nvar + Lap(Δ/(ε nvar)),    Δ = 1 − 1/n,    nvar = max(a, Σ (x_i − x̄)²)

Twin: linear_regression
Defect: noise for the numerator is divided by the private denominator, whose size then shows in the
spread; the denominator itself gets none.
Violation: DPA103
Known from: "the sensitivity of a quotient is that of its numerator over its denominator".
True epsilon: infinite, on five records (0, 0) against four and (1, 1).
Information limit: 139 calls.
"""

import numpy as np
from numpy.typing import NDArray


def linear_regression_private_denominator(
    data: NDArray[np.void], rng: np.random.Generator, *, least: float = 0.1, epsilon: float = 1.0
) -> float:
    """Return the slope of y on x, both in [0, 1], plus Laplace noise."""
    n = max(1, len(data))
    x, y = np.fmin(np.fmax(data["x"], 0.0), 1.0), np.fmin(np.fmax(data["y"], 0.0), 1.0)
    x, y = x - x.sum() / n, y - y.sum() / n
    nvar = max(least, float(x @ x))
    return float(x @ y) / nvar + rng.laplace(scale=(1 - 1 / n) / (epsilon * nvar))
