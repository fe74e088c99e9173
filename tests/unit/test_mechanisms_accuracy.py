"""Sound mechanisms are as accurate as their papers say."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import pytest

from mechanisms.above_threshold import above_threshold
from mechanisms.exponential import exponential
from mechanisms.gaussian import analytic_sigma, classical_sigma, gaussian_many
from mechanisms.laplace import laplace_many
from mechanisms.mean import mean_private_size
from mechanisms.noisy_max import report_noisy_max, report_noisy_max_exponential
from mechanisms.randomized_response import k_randomized_response, randomized_response
from tests.sweeps import FULL, sampled
from tools.description import described
from tools.utility import Utility, all_utilities

DATA = np.linspace(0, 100, 50)

UTILITIES = [
    pytest.param(utility, epsilon, id=f"{utility.mechanism}-{number}-{epsilon}")
    for number, utility in enumerate(all_utilities())
    for k, epsilon in enumerate(utility.epsilons)
    if FULL or k == number % len(utility.epsilons)  # of each entry one, not of all the same
]


@pytest.mark.parametrize(("utility", "epsilon"), sampled(UTILITIES, 15))
def test_the_loss_of_a_mechanism_is_what_its_paper_says(utility: Utility, epsilon: float) -> None:
    """Within 5 standard errors: each would fail with less than one fresh seed in 10^5.

    Heavy tails make the error of few draws too small; those entries have more draws.
    """
    mean, error = utility.measured(epsilon, seed=30)
    expected = utility.expected(epsilon)
    assert mean <= expected + 5 * error + 1e-12 * abs(expected)
    if utility.exact:
        assert mean >= expected - 5 * error - 1e-12 * abs(expected)


def test_every_sound_mechanism_has_a_measure_of_its_error() -> None:
    measured = {utility.mechanism for utility in all_utilities()}
    missing = {description.name for description in described()} - measured
    assert not missing, f"add an entry to a module of tools/utility for {missing}"


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
