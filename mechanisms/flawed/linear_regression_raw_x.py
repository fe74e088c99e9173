"""Simple linear regression around the mean of x, which is taken for public.

    y = ȳ + Lap(3/(nε)) + α̃ (x − x̄),    α̃ = (ncov + Lap(3Δ/ε)) / (nvar + Lap(3Δ/ε)),    Δ = 1 − 1/n

Twin: linear_regression
Defect: the point x̄ that the line is drawn around leaves without noise, and the records are pairs
(x, y).
Violation: DPA101
Known from: regression with a "fixed design", whose x are as private as its y.
True epsilon: infinite, on five records (0, 0) against four and (1, 0).
Information limit: 77 calls: every line tells, and only None does not.
"""

import numpy as np
from numpy.typing import NDArray


def linear_regression_raw_x(
    data: NDArray[np.void], rng: np.random.Generator, *, epsilon: float = 1.0
) -> tuple[float, float, float] | None:
    """Return slope, height and mean of x of the line, or None where x hardly varies."""
    n = max(1, len(data))
    x, y = np.fmin(np.fmax(data["x"], 0.0), 1.0), np.fmin(np.fmax(data["y"], 0.0), 1.0)
    x_mean, y_mean = float(x.sum()) / n, float(y.sum()) / n
    scale = 3 * (1 - 1 / n) / epsilon
    ncov = float((x - x_mean) @ (y - y_mean)) + rng.laplace(scale=scale)
    nvar = float((x - x_mean) @ (x - x_mean)) + rng.laplace(scale=scale)
    if nvar <= 0:
        return None
    return ncov / nvar, y_mean + rng.laplace(scale=3 / (n * epsilon)), x_mean
