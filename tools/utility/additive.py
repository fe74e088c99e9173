"""How far noise added to an answer carries it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log2, sqrt

import numpy as np

from mechanisms.binomial import binomial, coins_needed
from mechanisms.discrete_gaussian import discrete_gaussian
from mechanisms.discrete_laplace import discrete_laplace
from mechanisms.gaussian import analytic_sigma, gaussian
from mechanisms.geometric import geometric
from mechanisms.laplace import laplace
from mechanisms.snapping import snapping
from mechanisms.staircase import staircase
from mechanisms.truncated_geometric import truncated_geometric
from tools.utility import Utility

DELTA = 1e-5
SQUARED = "squared error of one answer"
ONES = np.ones(9, dtype=np.int64)
COUNT, LARGEST = 2, 5


def _rational(epsilon: float) -> Fraction:
    return Fraction(epsilon).limit_denominator(100)


def _geometric_variance(epsilon: float) -> float:
    alpha = exp(-epsilon)
    return 2 * alpha / (1 - alpha) ** 2


def _truncated_geometric(epsilon: float) -> float:
    power = 2.0 ** max(0, ceil(log2(2 / epsilon)))
    alpha = power / (power + 1)
    sides = (COUNT, LARGEST - COUNT)
    terms = [(2 * j - 1) * alpha**j for side in sides for j in range(1, side + 1)]
    return sum(terms) / (1 + alpha)


def _concentrated(epsilon: float) -> Fraction:
    """σ² of the Gaussian noise that is (ε²/2)-zero-concentrated private."""
    return 1 / _rational(epsilon) ** 2


def _discrete_gaussian(epsilon: float) -> float:
    variance = float(_concentrated(epsilon))
    z = np.arange(-ceil(40 * sqrt(variance)) - 40, ceil(40 * sqrt(variance)) + 41)
    weights = np.exp(-(z**2) / (2 * variance))
    return float((z**2 * weights).sum() / weights.sum())


def _snapping(epsilon: float) -> float:
    scale = (1 + 2**-49 * 1024) / epsilon
    step = 2.0 ** ceil(log2(scale))
    r = step / scale
    return float(step**2 * exp(-r / 2) * (1 + exp(-r)) / (1 - exp(-r)) ** 2)


UTILITIES: tuple[Utility, ...] = (
    Utility(
        "laplace",
        SQUARED,
        lambda epsilon, rng: (laplace(7.0, rng, epsilon=epsilon) - 7) ** 2,
        lambda epsilon: 2 / epsilon**2,
        "variance of the Laplace distribution",
    ),
    Utility(
        "geometric",
        "squared error of a count",
        lambda epsilon, rng: (geometric(ONES, rng, epsilon=epsilon) - len(ONES)) ** 2,
        _geometric_variance,
        "Ghosh, Roughgarden & Sundararajan 2009, variance of the noise",
    ),
    Utility(
        "discrete_laplace",
        SQUARED,
        lambda epsilon, rng: (discrete_laplace(7, rng, epsilon=_rational(epsilon)) - 7) ** 2,
        _geometric_variance,
        "Canonne, Kamath & Steinke 2020, variance of the discrete Laplace distribution",
    ),
    Utility(
        "truncated_geometric",
        "squared error of a count of 2 in 0..5",
        lambda epsilon, rng: (
            (truncated_geometric(COUNT, rng, epsilon=epsilon, n=LARGEST) - COUNT) ** 2
        ),
        _truncated_geometric,
        "from the distribution in Balcer & Vadhan 2018",
    ),
    Utility(
        "gaussian",
        f"{SQUARED} (δ = 1e-5)",
        lambda epsilon, rng: float(
            gaussian(np.zeros(1), rng, sigma=analytic_sigma(epsilon, DELTA))[0] ** 2
        ),
        lambda epsilon: analytic_sigma(epsilon, DELTA) ** 2,
        "Balle & Wang 2018, Theorem 8",
    ),
    Utility(
        "discrete_gaussian",
        f"{SQUARED} (ε²/2 of zCDP)",
        lambda epsilon, rng: (discrete_gaussian(7, rng, variance=_concentrated(epsilon)) - 7) ** 2,
        _discrete_gaussian,
        "Canonne, Kamath & Steinke 2020, variance of the discrete Gaussian distribution",
        epsilons=(0.1, 0.2, 0.5, 1.0, 2.0, 3.0),
    ),
    Utility(
        "binomial",
        f"{SQUARED} (δ = 1e-5)",
        lambda epsilon, rng: (binomial(7, rng, epsilon=epsilon, delta=DELTA) - 7) ** 2,
        lambda epsilon: coins_needed(epsilon, DELTA) / 4,
        "variance of the binomial distribution",
    ),
    Utility(
        "staircase",
        "size of the error of one answer",
        lambda epsilon, rng: abs(staircase(7.0, rng, epsilon=epsilon) - 7),
        lambda epsilon: exp(epsilon / 2) / (exp(epsilon) - 1),
        "Geng & Viswanath 2014, on the ℓ1 cost",
    ),
    Utility(
        "snapping",
        SQUARED,
        lambda epsilon, rng: snapping(0.0, rng, epsilon=epsilon) ** 2,
        _snapping,
        "variance of a Laplace variable rounded as in Mironov 2012",
    ),
)
