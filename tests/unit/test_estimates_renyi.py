"""Rényi divergences and the zCDP and Gaussian DP parameters, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpaudit.claims import GaussianDP
from dpaudit.estimates.gaussian import gdp_parameter
from dpaudit.estimates.renyi import renyi_divergence, renyi_term, zcdp_parameter
from dpaudit.estimates.split import tally
from dpaudit.estimates.variational import mean_at_least, moment_at_least

N = 100_000


def normal(mu, n=N, seed=1):
    return np.random.default_rng(seed).normal(mu, 1.0, n)


def responses(truth, n=N, seed=1):
    return np.random.default_rng(seed).random(n) < truth


def renyi_of_laplace(order, shift):
    """Two Laplace distributions of scale 1 (Mironov 2017, Proposition 6)."""
    one = order / (2 * order - 1) * math.exp((order - 1) * shift)
    two = (order - 1) / (2 * order - 1) * math.exp(-order * shift)
    return math.log(one + two) / (order - 1)


def renyi_of_response(order, truth):
    lie = 1 - truth
    moment = truth**order * lie ** (1 - order) + lie**order * truth ** (1 - order)
    return math.log(moment) / (order - 1)


def test_gaussians_at_distance_one_have_at_least_nine_tenths_of_their_divergence():
    """The true value is 1; events alone reach .66. A fresh seed fails in well under 1 %."""
    found = renyi_divergence(normal(1.0), normal(0.0, seed=2), 2)
    low, high = found.confidence_interval
    assert 0.8 < low <= 1.0 <= high
    assert low <= found.value <= high
    assert found.n == 2 * N
    assert "chosen partition" in found.valid_for
    assert "betting" in found.method
    assert found.quantity == "Rényi divergence D_2(P‖Q)"


def test_the_lower_end_is_within_a_tenth_for_laplace_noise_of_a_high_order():
    rng = np.random.default_rng(3)
    found = renyi_divergence(rng.laplace(1.0, 1.0, N), rng.laplace(0.0, 1.0, N), 8)
    truth = renyi_of_laplace(8, 1.0)
    assert 0.9 * truth <= found.confidence_interval.low <= truth


def test_several_orders_at_once_do_not_fall_with_the_order():
    found = renyi_divergence(normal(1.0), normal(0.0, seed=2), (4, 1.5, 2))
    assert found.at.tolist() == [1.5, 2.0, 4.0]
    assert found.axis == "order α"
    low, high = found.confidence_interval
    for curve in (low, high, found.value):
        assert np.all(np.diff(curve) >= 0)
    assert np.all(low <= found.at / 2)
    alone = renyi_divergence(normal(1.0), normal(0.0, seed=2), 2).confidence_interval.low
    assert low[1] <= alone


def test_orders_of_a_named_support_are_all_in_one_region():
    truth = math.e / (1 + math.e)
    p, q = responses(truth), responses(1 - truth, seed=2)
    found = renyi_divergence(p, q, [1.5, 2, 8], support=[False, True])
    low, high = found.confidence_interval
    exact = [renyi_of_response(order, truth) for order in found.at]
    assert np.all(low <= exact)
    assert np.all(exact <= high)
    assert np.all(high - low < 0.1)
    assert found.valid_for.startswith("both ends hold for the mechanism")


def test_few_outcomes_without_a_support_have_no_upper_end():
    found = renyi_divergence(responses(0.7), responses(0.3, seed=2), 2)
    assert found.confidence_interval.high == math.inf
    assert found.confidence_interval.low > 0.9 * renyi_of_response(2, 0.7)


def test_vectors_are_told_apart_by_a_learned_score():
    """Four entries, each at distance 1/2: together 1."""
    rng = np.random.default_rng(5)
    p, q = rng.normal(0.5, 1.0, (4_000, 4)), rng.normal(0.0, 1.0, (4_000, 4))
    low = renyi_divergence(p, q, 2).confidence_interval.low
    assert 0.4 < low <= 1.0


def test_equal_distributions_have_a_lower_end_of_nought():
    p, q = normal(0.0), normal(0.0, seed=2)
    assert renyi_divergence(p, q, 2).confidence_interval.low == 0.0
    assert zcdp_parameter(p, q).confidence_interval.low <= 0.001
    assert gdp_parameter(p, q).confidence_interval.low <= 0.02


def test_samples_of_different_size_are_used_up():
    """Several draws of the larger sample join one pair."""
    counted = tally(
        normal(1.0, 4_000), normal(0.0, 64_000, seed=2),
        confidence=0.95, n=None, seed=0, support=None, method="fixed",
    )  # fmt: skip
    even = tally(
        normal(1.0, 4_000), normal(0.0, 4_000, seed=2),
        confidence=0.95, n=None, seed=0, support=None, method="fixed",
    )  # fmt: skip
    rng = np.random.default_rng(0)
    assert moment_at_least(counted, 2.0, 0.05, rng) > moment_at_least(even, 2.0, 0.05, rng) > 1


def test_parameters_of_a_gaussian_mechanism_are_those_of_its_shift():
    """μ = 1 and ρ = 1/2; a fresh seed fails in well under 1 %."""
    p, q = normal(1.0), normal(0.0, seed=2)
    rho, mu = zcdp_parameter(p, q), gdp_parameter(p, q)
    assert 0.44 < rho.confidence_interval.low <= 0.5
    assert 0.94 < mu.confidence_interval.low <= 1.0
    for found in (rho, mu):
        low, high = found.confidence_interval
        assert low <= found.value <= high
        assert found.unit == ""


def test_parameters_of_randomized_response_are_covered_on_both_sides():
    truth = math.e / (1 + math.e)
    p, q = responses(truth), responses(1 - truth, seed=2)
    rho = zcdp_parameter(p, q, support=[False, True])
    exact = max(renyi_of_response(a, truth) / a for a in np.linspace(1.001, 64, 5_000).tolist())
    assert rho.confidence_interval.low <= exact <= rho.confidence_interval.high
    mu = gdp_parameter(p, q, support=[False, True])
    least = mu_of_response(truth)
    assert mu.confidence_interval.low <= least <= mu.confidence_interval.high
    assert mu.confidence_interval.high - mu.confidence_interval.low < 0.06


def mu_of_response(truth):
    """The least μ whose region holds the corner of randomized response."""
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if GaussianDP(middle).beta(1 - truth) <= 1 - truth else (middle, high)
        )
    return high


def test_a_distribution_of_one_outcome_says_nothing():
    same = np.zeros(50)
    assert renyi_divergence(same, same, 2, support=[0.0]).confidence_interval.high < 1e-9
    assert gdp_parameter(same, same, support=[0.0]).confidence_interval.low == 0.0
    assert zcdp_parameter(same, same, support=[0.0]).confidence_interval.low == 0.0


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_handful_of_draws_gives_an_interval(n):
    p, q = normal(1.0, n), normal(0.0, n, seed=2)
    for found in (renyi_divergence(p, q, 2), zcdp_parameter(p, q), gdp_parameter(p, q)):
        low, high = found.confidence_interval
        assert 0.0 <= low <= found.value <= high


def test_an_interval_for_any_time_leaves_the_functions_out():
    found = renyi_divergence(normal(1.0, 4_000), normal(0.0, 4_000, seed=2), 2, method="anytime")
    assert "betting" not in found.method
    assert 0.0 <= found.confidence_interval.low <= 1.0


@pytest.mark.parametrize("order", [1.0, 0.5, math.inf, math.nan, [], [2.0, 1.0]])
def test_an_order_that_is_not_above_one_is_refused(order):
    with pytest.raises(ValueError, match="`order` must"):
        renyi_divergence([0.0], [1.0], order)


def test_an_order_that_is_no_number_is_refused():
    with pytest.raises(TypeError, match="`order` must be a real number"):
        renyi_divergence([0.0], [1.0], "two")


def test_a_term_is_infinite_where_only_p_is_and_nought_where_it_is_not():
    term = renyi_term(2.0)(np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.25, 0.0, 0.5, 0.0]))
    assert term.tolist() == [pytest.approx(1.0), math.inf, 0.0, 0.0]


@pytest.mark.parametrize("stake", [0.01, 0.1, 0.5])
def test_a_limit_for_a_mean_has_at_most_the_stated_error(stake):
    """Exact: all counts of n draws of 1 with probability m, else -1.  No flake: no randomness."""
    from scipy.stats import binom

    n, chance, error = 200, 0.3, 0.05
    mean = 2 * chance - 1
    missed = 0.0
    for ones in range(n + 1):
        numbers = np.repeat([1.0, -1.0], [ones, n - ones])
        limit = mean_at_least(numbers, stake, error, known=-1.0, lowest=-1.0)
        missed += binom.pmf(ones, n, chance) * (limit > mean)
    assert missed <= error


def test_a_limit_for_a_mean_is_near_it_with_a_good_stake():
    rng = np.random.default_rng(0)
    numbers = rng.random(10_000)
    stake = math.sqrt(2 * math.log(20) / (10_000 / 12))
    assert 0.49 < mean_at_least(numbers, stake, 0.05, known=0.0, lowest=0.0) < 0.5


def test_a_number_that_was_not_drawn_limits_what_a_stake_can_prove():
    """All of 200 draws are 1 with probability .089, though each is -1 with probability .012."""
    chance, error = 0.012, 0.02
    mean = 1 - 2 * chance
    stake = 1.8 / (mean + 1)  # loses more than everything on a draw of -1, if the mean is right
    assert (1 - chance) ** 200 > 4 * error
    assert mean_at_least(np.ones(200), stake, error, known=-1.0, lowest=-1.0) <= mean


@pytest.mark.parametrize("support", [None, [0, 1]])
@pytest.mark.parametrize("order", [64.0, 340.0, 1e5, 1e300])
def test_a_moment_that_overflows_leaves_both_ends_about_the_truth(order, support):
    p, q = responses(0.9), responses(0.1, seed=2)
    truth = math.log(9.0) - (1 / (order - 1)) * math.log(1 / 0.9)
    found = renyi_divergence(p.astype(int), q.astype(int), order, support=support)
    low, high = found.confidence_interval
    assert 0.97 * truth < low <= truth <= high
    assert low <= found.value <= (1.03 * truth if support is None else high)
    assert support is None or high < 1.03 * truth
