"""How accurate noisy counts, means, tables, quantiles and fits are."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from mechanisms.clipped_sum import clipped_sum
from mechanisms.contingency_table import COUGH, SMOKES, contingency_table
from mechanisms.count import count, count_distinct
from mechanisms.covariance import covariance
from mechanisms.gaussian import analytic_sigma
from mechanisms.histogram import histogram
from mechanisms.k_means import centres_of, k_means
from mechanisms.linear_regression import linear_regression
from mechanisms.mean import mean_private_size, mean_public_size
from mechanisms.mode import mode
from mechanisms.principal_components import principal_components
from mechanisms.quantile import GRID, quantile, quantile_on_grid
from mechanisms.variance import variance
from tools.utility import Utility

Floats = NDArray[np.float64]
DELTA = 1e-5
LAPLACE = "Dwork & Roth 2014, Definition 3.2: Laplace noise of scale b has variance 2b²"

VALUES = np.linspace(0, 100, 50)
RATINGS = np.repeat(np.arange(1, 6), [3, 5, 9, 20, 13])
RECORDS = np.array([3.0, 8, 15, 22, 22, 31, 37, 44, 48, 55, 61, 62, 70, 78, 91])
UNIT = np.linspace(0, 1, 50)
PATIENTS = np.array(
    [(s, c) for i, s in enumerate(SMOKES) for j, c in enumerate(COUGH) for _ in range(3 * i + j)],
    dtype=[("smokes", "U3"), ("cough", "U6")],
)
POINTS = np.array([(x, 0.2 + 0.5 * x + 0.05 * (-1) ** i) for i, x in enumerate(np.tile(UNIT, 4))],
                  dtype=[("x", float), ("y", float)])  # fmt: skip
CLOUDS = np.array([(-0.6, -0.4), (-0.4, -0.6)] * 20 + [(0.4, 0.6), (0.6, 0.5)] * 15,
                  dtype=[("x", float), ("y", float)])  # fmt: skip
ROWS = np.array([(0.9 * (-1) ** i, 0.3, 0.1) for i in range(60)],
                dtype=[("x", float), ("y", float), ("z", float)])  # fmt: skip


def _squared(
    estimate: Callable[[float, np.random.Generator], float], truth: float
) -> Callable[[float, np.random.Generator], float]:
    return lambda epsilon, rng: (estimate(epsilon, rng) - truth) ** 2


def _ratio_error(total: float, n: float, sum_scale: float, count_scale: float) -> float:
    """E[((total + Lap) / max(1, n + Lap) − total / n)²]: the numerator's moments, one integral."""

    def moment(power: int) -> float:
        def at(x: float) -> float:
            return exp(-abs(x - n) / count_scale) / (2 * count_scale) / x**power

        below = exp((1 - n) / count_scale) / 2  # the noisy count is at most 1: n is more
        parts = ((1.0, n), (n, n + 10 * count_scale), (n + 10 * count_scale, np.inf))
        return below + float(sum(quad(at, *part, limit=200)[0] for part in parts))

    target = total / n
    squares = (total**2 + 2 * sum_scale**2) * moment(2)
    return float(squares - 2 * target * total * moment(1) + target**2)


def _mean_private_size(epsilon: float) -> float:
    return _ratio_error(float(VALUES.sum()), len(VALUES), 200 / epsilon, 2 / epsilon)


def _softmin(lengths: Floats, scores: Floats, rate: float) -> float:
    weights = lengths * np.exp(-rate * (scores - scores.min()))
    return float((weights * scores).sum() / weights.sum())


def _rank_error(point: float) -> float:
    return abs(float(RECORDS.searchsorted(point)) - len(RECORDS) / 2)


def _quantile(epsilon: float) -> float:
    lengths = np.diff([0.0, *RECORDS, 100.0])
    return _softmin(lengths, np.abs(np.arange(len(RECORDS) + 1) - len(RECORDS) / 2), epsilon)


def _quantile_on_grid(epsilon: float) -> float:
    scores = np.array([_rank_error(point) for point in GRID])
    return _softmin(np.ones(len(GRID)), scores, epsilon)


def _mode_missed(epsilon: float, rng: np.random.Generator) -> float:
    counts = np.bincount(RATINGS, minlength=6)
    return float(counts.max() - counts[mode(RATINGS, rng, epsilon=epsilon)])


def _mode_loss(epsilon: float) -> float:
    """Σ (c* − c_j) Pr[j beats the best]: j can only win if it does, so this is a bound."""
    gaps = np.sort(np.bincount(RATINGS)[1:])[-1] - np.sort(np.bincount(RATINGS)[1:])
    # Pr[Lap(b) − Lap(b) ≥ g] = (1 + g/2b) exp(−g/b)/2
    beaten = (1 + gaps * epsilon / 2) * np.exp(-gaps * epsilon) / 2
    return float((gaps * beaten).sum())


_X, _Y = POINTS["x"] - POINTS["x"].mean(), POINTS["y"] - POINTS["y"].mean()
NVAR, SLOPE, MISS = float(_X @ _X), float(_X @ _Y) / float(_X @ _X), 0.25


def _slope_missed(epsilon: float, rng: np.random.Generator) -> float:
    fit = linear_regression(POINTS, rng, epsilon=epsilon)
    return float(fit is None or abs(fit[0] - SLOPE) > MISS)


def _slope_bound(epsilon: float) -> float:
    """Tails of Lap(b) + c Lap(b) beyond t nvar, for c = |α + t| and |α − t|."""
    b, z = 3 * (1 - 1 / len(POINTS)) / epsilon, MISS * NVAR

    def tail(c: float) -> float:
        return (exp(-z / b) - c**2 * exp(-z / (b * c))) / (2 * (1 - c**2))

    return min(1.0, tail(abs(SLOPE + MISS)) + tail(abs(SLOPE - MISS)))


_MATRIX = np.stack([ROWS[c] for c in "xyz"]) @ np.stack([ROWS[c] for c in "xyz"]).T


def _uncaptured(epsilon: float, rng: np.random.Generator) -> float:
    (v,) = principal_components(ROWS, rng, sigma=analytic_sigma(epsilon, DELTA))
    return float(np.linalg.eigvalsh(_MATRIX)[-1] - v @ _MATRIX @ v)


def _centre_error(epsilon: float, rng: np.random.Generator) -> float:
    first, _ = centres_of(k_means(CLOUDS, rng, rounds=1, epsilon=epsilon)[0])
    return float(((first - (-0.5, -0.5)) ** 2).sum())


def _centre_variance(epsilon: float) -> float:
    """Two coordinates of a cluster of 40 points whose mean is −1/2 each."""
    return 2 * _ratio_error(-20.0, 40.0, 3 / epsilon, 3 / epsilon)


UTILITIES: tuple[Utility, ...] = (
    Utility(
        "count",
        "squared error of a count",
        _squared(lambda epsilon, rng: count(VALUES, rng, epsilon=epsilon), 50.0),
        lambda epsilon: 2 / epsilon**2,
        LAPLACE,
    ),
    Utility(
        "count",
        "squared error of a count of distinct values",
        _squared(lambda epsilon, rng: count_distinct(RATINGS, rng, epsilon=epsilon), 5.0),
        lambda epsilon: 2 / epsilon**2,
        LAPLACE,
    ),
    Utility(
        "clipped_sum",
        "squared error of a sum of values in [0, 100]",
        _squared(lambda epsilon, rng: clipped_sum(VALUES, rng, epsilon=epsilon), 2500.0),
        lambda epsilon: 2 * (100 / epsilon) ** 2,
        LAPLACE,
    ),
    Utility(
        "mean",
        "squared error of the mean of 50 values in [0, 100], 50 being public",
        _squared(lambda epsilon, rng: mean_public_size(VALUES, rng, epsilon=epsilon), 50.0),
        lambda epsilon: 2 * (100 / (50 * epsilon)) ** 2,
        LAPLACE,
    ),
    Utility(
        "mean",
        "squared error of the mean of 50 values in [0, 100], 50 being private",
        _squared(lambda epsilon, rng: mean_private_size(VALUES, rng, epsilon=epsilon), 50.0),
        _mean_private_size,
        "moments of a noisy sum over an independent noisy count, by integration",
    ),
    Utility(
        "variance",
        "squared error of the variance of 50 values in [0, 1]",
        _squared(
            lambda epsilon, rng: variance(UNIT, rng, epsilon=epsilon), float(UNIT.var(ddof=1))
        ),
        lambda epsilon: 2 / (50 * epsilon) ** 2,
        LAPLACE,
    ),
    Utility(
        "covariance",
        "squared error of the covariance of 200 points in the unit square",
        _squared(
            lambda epsilon, rng: covariance(POINTS, rng, epsilon=epsilon), float(_X @ _Y) / 199
        ),
        lambda epsilon: 2 / (200 * epsilon) ** 2,
        LAPLACE,
    ),
    Utility(
        "histogram",
        "squared error of five counts",
        lambda epsilon, rng: float(((histogram(VALUES, rng, epsilon=epsilon) - 10) ** 2).sum()),
        lambda epsilon: 5 * 2 / epsilon**2,
        LAPLACE,
    ),
    Utility(
        "contingency_table",
        "squared error of one of two row totals, three cells each",
        _squared(
            lambda epsilon, rng: float(contingency_table(PATIENTS, rng, epsilon=epsilon)[1].sum()),
            12.0,
        ),
        lambda epsilon: 3 * 2 / epsilon**2,
        LAPLACE,
    ),
    Utility(
        "quantile",
        "distance in ranks from the median of 15 values",
        lambda epsilon, rng: _rank_error(quantile(RECORDS, rng, epsilon=epsilon, sensitivity=0.5)),
        _quantile,
        "density of the exponential mechanism, summed over the segments between records",
    ),
    Utility(
        "quantile",
        "distance in ranks from the median of 15 values, on a grid of 21",
        lambda epsilon, rng: _rank_error(
            quantile_on_grid(RECORDS, rng, epsilon=epsilon, sensitivity=0.5)
        ),
        _quantile_on_grid,
        "probabilities of the exponential mechanism, summed over the grid",
    ),
    Utility(
        "mode",
        "records that the chosen category has fewer than the largest",
        _mode_missed,
        _mode_loss,
        "union bound over the categories, each against the largest",
        exact=False,
    ),
    Utility(
        "linear_regression",
        "probability that the slope is off by more than .25, on 200 points",
        _slope_missed,
        _slope_bound,
        "union bound over both sides; the tail of a sum of two Laplace variables",
        exact=False,
    ),
    Utility(
        "principal_components",
        "variance that the first component misses, 60 rows in three dimensions, δ = 1e-5",
        _uncaptured,
        lambda epsilon: 2 * analytic_sigma(epsilon, DELTA) * 3**0.5,
        "E[max vᵀEv] ≤ 2σ√d (Sudakov and Fernique)",
        exact=False,
    ),
    Utility(
        "k_means",
        "squared error of the centre of 40 points after one round",
        _centre_error,
        _centre_variance,
        "moments of a noisy sum over an independent noisy count, by integration",
        draws=20_000,
        epsilons=(0.5, 1.0, 2.0, 5.0),
    ),
)
