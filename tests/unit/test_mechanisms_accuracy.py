"""Sound mechanisms are as accurate as their papers say."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import pytest

from mechanisms.above_threshold import above_threshold
from mechanisms.clipped_sum import clipped_sum
from mechanisms.count import count
from mechanisms.exponential import exponential
from mechanisms.gaussian import analytic_sigma, classical_sigma, gaussian_many
from mechanisms.geometric import geometric
from mechanisms.histogram import histogram
from mechanisms.laplace import laplace, laplace_many
from mechanisms.mean import mean_private_size, mean_public_size
from mechanisms.noisy_max import report_noisy_max, report_noisy_max_exponential
from mechanisms.randomized_response import k_randomized_response, randomized_response
from mechanisms.subsampled import subsampled_count

DRAWS = 5000
DATA = np.linspace(0, 100, 50)
ALPHA = exp(-1)

UNBIASED = [
    ("laplace", lambda rng: laplace(7.0, rng, epsilon=0.5), 7.0, 8.0),
    ("geometric", lambda rng: geometric(np.ones(9, int), rng), 9.0, 2 * ALPHA / (1 - ALPHA) ** 2),
    ("count", lambda rng: count(DATA, rng, epsilon=2.0), 50.0, 0.5),
    ("clipped_sum", lambda rng: clipped_sum(DATA, rng), 2500.0, 2 * 100.0**2),
    ("mean_public_size", lambda rng: mean_public_size(DATA, rng), 50.0, 2 * 2.0**2),
    ("histogram", lambda rng: histogram(DATA, rng)[1], 10.0, 2.0),
    ("two_coins", lambda rng: 2 * (randomized_response(1, rng) - 0.25), 1.0, 0.75),
    ("subsampled", lambda rng: subsampled_count(DATA, rng) / 0.2, 50.0, 50 * 4 + 2 / 0.2**2),
]


@pytest.mark.parametrize(
    ("estimate", "truth", "variance"),
    [case[1:] for case in UNBIASED],
    ids=[case[0] for case in UNBIASED],
)
def test_an_unbiased_estimate_has_the_mean_and_variance_of_its_paper(
    estimate: Callable[[np.random.Generator], float], truth: float, variance: float
) -> None:
    """Mean within 5 standard errors, variance within 20 %: less than once in 10^5 fresh seeds.

    The fourth moment of Laplace noise is 6 variances squared, so 5,000 draws give the variance to
    within 3.2 % (one standard error).
    """
    rng = np.random.default_rng(30)
    draws = np.array([estimate(rng) for _ in range(DRAWS)])
    assert abs(draws.mean() - truth) < 5 * np.sqrt(variance / DRAWS)
    assert abs(draws.var() / variance - 1) < 0.2


def test_the_vectorized_forms_have_the_variance_of_their_noise() -> None:
    """Within 5 % at 100,000 draws, 7 standard errors or more: once in 10^11 fresh seeds."""
    rng = np.random.default_rng(31)
    assert laplace_many(1.0, 100_000, rng, epsilon=0.5).var() == pytest.approx(8, rel=0.05)
    outputs = gaussian_many(np.zeros(2), 100_000, rng, sigma=3.0)
    assert outputs.var(axis=0) == pytest.approx([9, 9], rel=0.05)


def test_the_noisy_mean_of_many_records_is_close() -> None:
    """Noise of at most 3 in 1,000: exceeded with probability below 10^-6."""
    data = np.tile(DATA, 2000)
    assert abs(mean_private_size(data, np.random.default_rng(32)) - 50) < 0.1


def frequencies(draw: Callable[[np.random.Generator], Any], k: int, n: int = 20_000) -> np.ndarray:
    rng = np.random.default_rng(33)
    return np.bincount([draw(rng) for _ in range(n)], minlength=k) / n


@pytest.mark.parametrize(
    ("draw", "probabilities"),
    [
        (
            lambda rng: exponential(np.array([0.0, 1.0, 2.0]), rng, epsilon=2.0),
            np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum(),
        ),
        (
            lambda rng: k_randomized_response(2, rng),
            np.array([1, 1, exp(1), 1]) / (exp(1) + 3),
        ),
        (lambda rng: randomized_response(0, rng), np.array([0.75, 0.25])),
        # Permute-and-flip on two scores that lie 1 apart: the lower one wins with e^(-1/2)/2.
        (
            lambda rng: report_noisy_max_exponential(np.array([0.0, 1.0]), rng),
            np.array([exp(-0.5) / 2, 1 - exp(-0.5) / 2]),
        ),
        # Difference of two Laplace variables of scale b at t = 1/b: (2 + t) e^(-t) / 4.
        (
            lambda rng: report_noisy_max(np.array([0.0, 1.0]), rng),
            np.array([2.5 * exp(-0.5) / 4, 1 - 2.5 * exp(-0.5) / 4]),
        ),
    ],
    ids=["exponential", "k_ary", "two_coins", "noisy_max_exponential", "noisy_max"],
)
def test_a_choice_has_the_probabilities_of_its_definition(
    draw: Callable[[np.random.Generator], int], probabilities: np.ndarray
) -> None:
    """20,000 draws, each frequency within 5 standard errors: once in 10^6 fresh seeds."""
    error = np.sqrt(probabilities * (1 - probabilities) / 20_000)
    observed = frequencies(draw, len(probabilities))
    assert np.all(np.abs(observed - probabilities) < 5 * error)


def test_above_threshold_finds_the_answer_that_lies_far_above() -> None:
    """Noise would have to exceed 500 times its scale: never."""
    answers = np.array([-5000.0, -5000.0, 5000.0, 5000.0])
    rng = np.random.default_rng(34)
    assert above_threshold(answers, rng) == (False, False, True)
    assert above_threshold(answers[:2], rng) == (False, False)


def test_the_analytic_calibration_agrees_with_published_digits() -> None:
    assert analytic_sigma(1.0, 1e-5) == pytest.approx(3.730632, abs=1e-6)
    assert analytic_sigma(1.0, 1e-5, 2.0) == pytest.approx(2 * 3.730632, abs=2e-6)


def test_the_classical_calibration_needs_more_noise_than_the_analytic_one() -> None:
    for epsilon in (0.1, 0.5, 1.0):
        assert classical_sigma(epsilon, 1e-5) > analytic_sigma(epsilon, 1e-5)
    # beyond epsilon = 1 the classical formula breaks
    assert classical_sigma(10.0, 1e-5) < analytic_sigma(10.0, 1e-5)
