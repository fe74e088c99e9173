"""Errors of composed answers, running sums, a census and federated sums."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from mechanisms.advanced_composition import advanced_composition, optimal_epsilon
from mechanisms.census_release import cells, census_release
from mechanisms.federated_averaging import federated_averaging
from mechanisms.matrix_factorization import matrix_factorization, root
from mechanisms.parallel_composition import BOUNDS, parallel_composition
from mechanisms.prefix_sums import prefix_sums
from mechanisms.privacy_filter import privacy_filter
from mechanisms.privacy_odometer import privacy_odometer
from mechanisms.secure_aggregation import secure_aggregation
from mechanisms.sequential_composition import THRESHOLDS, sequential_composition
from mechanisms.smart_sum import smart_sum
from mechanisms.tree_counter import tree_counter
from tools.utility import Utility

VALUES = np.arange(0.0, 100.0, 5.0)
STREAM = np.array([1.0, 0, 2, 1, 1, 0, 3])
PEOPLE = np.array([(0, 0), (0, 0), (0, 2), (1, 1)], dtype=[("state", "i8"), ("group", "i8")])
UPDATES = np.array([[0.6, 0.0], [0.0, -0.8], [0.3, 0.4], [0.1, 0.1]])
SHARES = np.array([0.0, 1.0, 0.5, 0.25, 1.0, 0.75, 0.5])
DELTA = 1e-5


def geometric_variance(epsilon: float) -> float:
    """Return the variance of two-sided geometric noise.

    Parameters
    ----------
    epsilon : float
        In nats.

    Returns
    -------
    float
    """
    alpha = exp(-epsilon)
    return 2 * alpha / (1 - alpha) ** 2


@cache
def _share(epsilon: float) -> float:
    return optimal_epsilon(epsilon, DELTA, 20)


@np.vectorize
def _ones(t: int) -> int:
    return int(t).bit_count()


def _squared(
    mechanism: Callable[..., NDArray[np.float64]], truth: NDArray[np.float64], name: str = "epsilon"
) -> Callable[[float, np.random.Generator], float]:
    """Measure the mean squared error of a stream's running sums."""

    def measure(epsilon: float, rng: np.random.Generator) -> float:
        released = mechanism(STREAM, rng, **{name: epsilon})
        return float(((released - truth) ** 2).mean())

    return measure


def _sequential(epsilon: float, rng: np.random.Generator) -> float:
    released = sequential_composition(VALUES, rng, epsilon=epsilon)
    return float(((released - [15, 10, 5]) ** 2).mean())


def _parallel(epsilon: float, rng: np.random.Generator) -> float:
    parts = VALUES.reshape(4, 5).sum(axis=1)
    return float(((parallel_composition(VALUES, rng, epsilon=epsilon) - parts) ** 2).mean())


def _advanced(epsilon: float, rng: np.random.Generator) -> float:
    released = advanced_composition(VALUES, rng, per_answer=_share(epsilon))
    return float(((released - np.arange(19, -1, -1)) ** 2).mean())


def _filter(epsilon: float, rng: np.random.Generator) -> float:
    return float((privacy_filter(VALUES, rng, epsilon=epsilon)[0] - 10) ** 2)


def _odometer(epsilon: float, rng: np.random.Generator) -> float:
    return float((privacy_odometer(VALUES, rng, epsilon=epsilon)[0][0] - 10) ** 2)


def _census(epsilon: float, rng: np.random.Generator) -> float:
    released = census_release(PEOPLE, rng, epsilon=epsilon)
    return float(((released - cells(PEOPLE)) ** 2).mean())


def _federated(mu: float, rng: np.random.Generator) -> float:
    return float(((federated_averaging(UPDATES, rng, mu=mu) - UPDATES.mean(axis=0)) ** 2).mean())


def _secure(mu: float, rng: np.random.Generator) -> float:
    released = secure_aggregation(SHARES, rng, mu=mu)
    return float((released - SHARES[[0, 2, 3, 5, 6]].sum()) ** 2) if released is not None else 0.0


RUNNING = np.cumsum(STREAM)
TIME = np.arange(1, len(STREAM) + 1)
COLUMN = root(len(STREAM))[:, 0] ** 2

UTILITIES: tuple[Utility, ...] = (
    Utility(
        "sequential_composition",
        "squared error of one of three counts",
        _sequential,
        lambda epsilon: 2 * (len(THRESHOLDS) / epsilon) ** 2,
        "Dwork & Roth 2014, Theorems 3.6 and 3.16",
    ),
    Utility(
        "parallel_composition",
        "squared error of the sum of one of four parts",
        _parallel,
        lambda epsilon: float(np.mean(np.square(BOUNDS[1:]))) * 2 / epsilon**2,
        "McSherry 2009, on parallel composition",
        draws=1000,
    ),
    Utility(
        "advanced_composition",
        "squared error of one of twenty counts, at delta = 1e-5",
        _advanced,
        lambda epsilon: geometric_variance(_share(epsilon)),
        "Kairouz, Oh & Viswanath 2015, Theorem 3.3",
        draws=1000,
    ),
    Utility(
        "privacy_filter",
        "squared error of the first count, a quarter of the budget",
        _filter,
        lambda epsilon: geometric_variance(epsilon / 4),
        "Ghosh, Roughgarden & Sundararajan 2009, on the geometric mechanism",
    ),
    Utility(
        "privacy_odometer",
        "squared error of the first count, a quarter of the budget",
        _odometer,
        lambda epsilon: geometric_variance(epsilon / 4),
        "Ghosh, Roughgarden & Sundararajan 2009, on the geometric mechanism",
    ),
    Utility(
        "prefix_sums",
        "mean squared error of seven running sums",
        _squared(prefix_sums, RUNNING),
        lambda epsilon: 2 / epsilon**2 * float(TIME.mean()),
        "Dwork & Roth 2014, Theorem 3.6",
    ),
    Utility(
        "smart_sum",
        "mean squared error of seven running sums, blocks of three",
        _squared(smart_sum, RUNNING),
        lambda epsilon: 8 / epsilon**2 * float((TIME // 3 + TIME % 3).mean()),
        "Chan, Shi & Song 2011, on the two-level counter",
        draws=1000,
    ),
    Utility(
        "tree_counter",
        "mean squared error of seven running sums",
        _squared(tree_counter, RUNNING),
        lambda epsilon: 2 * (3 / epsilon) ** 2 * float(_ones(TIME).mean()),
        "Chan, Shi & Song 2011, on the binary mechanism",
    ),
    Utility(
        "matrix_factorization",
        "mean squared error of seven running sums, epsilon read as mu",
        _squared(matrix_factorization, RUNNING, "mu"),
        lambda mu: float(COLUMN.sum() * np.cumsum(COLUMN).mean()) / mu**2,
        "Fichtenberger, Henzinger & Upadhyay 2023",
    ),
    Utility(
        "census_release",
        "squared error of one of six cells",
        _census,
        lambda epsilon: 2 / 3 * geometric_variance(epsilon / 2),
        "Ghosh, Roughgarden & Sundararajan 2009, less the mean of three noises",
    ),
    Utility(
        "federated_averaging",
        "squared error of an entry of the mean of four updates, epsilon read as mu",
        _federated,
        lambda mu: (2 / mu) ** 2 / 4,
        "Dong, Roth & Su 2019, on the Gaussian mechanism",
        draws=1000,
    ),
    Utility(
        "secure_aggregation",
        "squared error of the sum of five values for noise of four, epsilon read as mu",
        _secure,
        lambda mu: 5 / 4 / mu**2,
        "Dong, Roth & Su 2019, on the Gaussian mechanism",
    ),
)
