"""Accuracy of learning from samples, of private models, of votes and of synthetic data."""

from __future__ import annotations

from functools import cache
from math import exp, expm1, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from mechanisms.gaussian import analytic_sigma
from mechanisms.multiplicative_weights import multiplicative_weights
from mechanisms.noisy_gradient_descent import clipped, gradients, noisy_gradient_descent
from mechanisms.noisy_vote import noisy_vote
from mechanisms.objective_perturbation import calibration, objective_perturbation
from mechanisms.output_perturbation import minimizer, output_perturbation, signed_rows
from mechanisms.subsampled import subsampled_count
from mechanisms.subsampled_without_replacement import subsampled_without_replacement
from mechanisms.synthetic_histogram import counts, synthetic_histogram
from tools.utility import Utility

Array = NDArray[np.float64]

RATE = 0.2
DELTA = 1e-5
NUMBERS: Array = np.array([i / 24.5 - 1 for i in range(50)])
VOTES = np.repeat([0, 1], [20, 12])
RECORDS = np.repeat(np.arange(5), [400, 300, 200, 100, 0])
EIGHTHS = np.repeat(np.arange(8), [6000, 1000, 1000, 1000, 1000, 2000, 4000, 4000])
SUBSETS: Array = ((np.arange(1, 256)[:, None] >> np.arange(8)) % 2).astype(np.float64)
ROUNDS = 40
REGULARIZATION = 0.5
ROWS: Array = np.array([(x, 1.0 - x * x, 1.0 if x > -0.25 else -1.0) for x in NUMBERS[::2]])
DIMENSION = 2


def _before_sampling(epsilon: float) -> float:
    """Return the epsilon of the release whose sampled form spends `epsilon`."""
    return log1p(expm1(epsilon) / RATE)


def _sampled_count(epsilon: float, rng: np.random.Generator) -> float:
    output = subsampled_count(NUMBERS, rng, rate=RATE, epsilon=_before_sampling(epsilon))
    return (output / RATE - len(NUMBERS)) ** 2


def _sampled_count_variance(epsilon: float) -> float:
    noise = 2 / (RATE * _before_sampling(epsilon)) ** 2
    return len(NUMBERS) * (1 - RATE) / RATE + noise


def _sampled_sum(epsilon: float, rng: np.random.Generator) -> float:
    size = round(RATE * len(NUMBERS))
    output = subsampled_without_replacement(
        NUMBERS, rng, size=size, epsilon=_before_sampling(epsilon)
    )
    return float(output / RATE - NUMBERS.sum()) ** 2


def _sampled_sum_variance(epsilon: float) -> float:
    size = round(RATE * len(NUMBERS))
    sampling = size * (1 - RATE) * float(NUMBERS.var(ddof=1))
    return (sampling + 8 / _before_sampling(epsilon) ** 2) / RATE**2


@cache
def _first_step() -> Array:
    step: Array = -0.5 * clipped(gradients(np.zeros(DIMENSION), ROWS), 1.0).sum(axis=0)
    return step


def _gradient_step(epsilon: float, rng: np.random.Generator) -> float:
    sigma = analytic_sigma(epsilon, DELTA)
    path = noisy_gradient_descent(ROWS, rng, steps=1, noise=sigma)
    return float(((path[0] - _first_step()) ** 2).sum())


@cache
def _exact_model() -> Array:
    return minimizer(signed_rows(ROWS), REGULARIZATION)


def _noisy_model(epsilon: float, rng: np.random.Generator) -> float:
    model = output_perturbation(ROWS, rng, regularization=REGULARIZATION, epsilon=epsilon)
    return float(np.linalg.norm(model - _exact_model()))


def _tilted_model(epsilon: float, rng: np.random.Generator) -> float:
    model = objective_perturbation(ROWS, rng, regularization=REGULARIZATION, epsilon=epsilon)
    return float(np.linalg.norm(model - _exact_model()))


def _noisy_model_distance(epsilon: float) -> float:
    return 2 * DIMENSION / (len(ROWS) * REGULARIZATION * epsilon)


def _tilted_model_distance(epsilon: float) -> float:
    left, more = calibration(epsilon, len(ROWS), REGULARIZATION)
    assert more == 0
    return _noisy_model_distance(left)


def _vote_is_wrong(epsilon: float, rng: np.random.Generator) -> float:
    return float(noisy_vote(VOTES, rng, labels=2, epsilon=epsilon) != 0)


def _wrong_vote_probability(epsilon: float) -> float:
    t = epsilon * (20 - 12) / 2
    return (2 + t) * exp(-t) / 4


def _synthetic_distance(epsilon: float, rng: np.random.Generator) -> float:
    drawn = synthetic_histogram(RECORDS, rng, cells=5, size=500, epsilon=epsilon)
    return float(np.abs(counts(drawn, 5) / 500 - counts(RECORDS, 5) / len(RECORDS)).sum())


def _synthetic_distance_bound(epsilon: float) -> float:
    return 2 * 5 / (len(RECORDS) * epsilon) + sqrt(5 / 500)


def _query_error(epsilon: float, rng: np.random.Generator) -> float:
    model = multiplicative_weights(EIGHTHS, rng, queries=SUBSETS, rounds=ROUNDS, epsilon=epsilon)
    return float(np.abs(SUBSETS @ (model - counts(EIGHTHS, 8))).max()) / len(EIGHTHS)


def _query_error_bound(epsilon: float) -> float:
    n, (size, cells) = len(EIGHTHS), SUBSETS.shape
    within = 2 * sqrt(log(cells) / ROUNDS) + 10 * ROUNDS * log(size) / (n * epsilon)
    return float(min(1.0, within + 2 * ROUNDS / size))  # no error exceeds 1


UTILITIES: tuple[Utility, ...] = (
    Utility(
        "subsampled",
        "squared error of a count of 50, from a fifth of the records",
        _sampled_count,
        _sampled_count_variance,
        "variance of a binomial count plus that of Laplace noise; Balle, Barthe & Gaboardi 2018, "
        "Theorem 8 for epsilon",
    ),
    Utility(
        "subsampled_without_replacement",
        "squared error of a sum of 50 records in [-1, 1], from a fifth of them",
        _sampled_sum,
        _sampled_sum_variance,
        "variance of sampling without replacement plus that of Laplace noise; Balle, Barthe & "
        "Gaboardi 2018, Theorem 9 for epsilon",
    ),
    Utility(
        "noisy_gradient_descent",
        "squared distance of a step from the one without noise, delta = 1e-5",
        _gradient_step,
        lambda epsilon: DIMENSION * (0.5 * analytic_sigma(epsilon, DELTA)) ** 2,
        "Abadi et al. 2016, Algorithm 1; sigma from Balle & Wang 2018, Theorem 8",
        draws=1000,
    ),
    Utility(
        "output_perturbation",
        "distance of the coefficients from the exact ones",
        _noisy_model,
        _noisy_model_distance,
        "mean of a norm that is Gamma(d, 2/(n Lambda epsilon)), Chaudhuri, Monteleoni & "
        "Sarwate 2011, Algorithm 1",
        draws=500,
    ),
    Utility(
        "objective_perturbation",
        "distance of the coefficients from the exact ones",
        _tilted_model,
        _tilted_model_distance,
        "strong convexity; the norm from Chaudhuri, Monteleoni & Sarwate 2011, Algorithm 2",
        exact=False,
        draws=500,
    ),
    Utility(
        "noisy_vote",
        "probability that 12 votes win over 20",
        _vote_is_wrong,
        _wrong_vote_probability,
        "difference of two Laplace variables; Papernot et al. 2017 for the mechanism",
        epsilons=(0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    ),
    Utility(
        "synthetic_histogram",
        "L1 distance between the shares of 500 synthetic and of 1,000 real records",
        _synthetic_distance,
        _synthetic_distance_bound,
        "triangle inequality over noise and sampling; Dwork & Roth 2014, Theorem 3.6",
        exact=False,
        draws=500,
    ),
    Utility(
        "multiplicative_weights",
        "largest error among 255 queries, as a share of the 20,000 records",
        _query_error,
        _query_error_bound,
        "Hardt, Ligett & McSherry 2012, Theorem 2.2, with an error of 1 where it fails",
        exact=False,
        draws=30,
    ),
)
