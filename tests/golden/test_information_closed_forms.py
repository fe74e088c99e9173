"""Channels whose information is known in closed form, against what is computed and allowed."""

import math

import numpy as np
import pytest

from dpaudit.claims import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.estimates.information import (
    channel_capacity,
    conditional_entropy,
    entropy,
    leakage_allowed,
    maximum_entropy_prior,
    min_entropy_leakage,
    mutual_information,
    mutual_information_allowed,
    sharpest_information,
)

LN2 = math.log(2)


def binary_entropy(p):
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


def response(k, epsilon):
    """Return k-ary randomized response."""
    odds = math.exp(epsilon)
    return (np.ones((k, k)) + (odds - 1) * np.eye(k)) / (odds + k - 1)


def subsets(v, size, epsilon):
    """Return subset selection: a subset is e^epsilon likelier where it has the input."""
    from itertools import combinations

    odds = math.exp(epsilon)
    weights = np.array(
        [[odds if x in s else 1.0 for s in combinations(range(v), size)] for x in range(v)]
    )
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("p", [0.01, 0.11, 0.3])
def test_a_binary_symmetric_channel_has_capacity_one_bit_less_the_entropy_of_its_error(p):
    """Cover & Thomas 2006, section 7.1.4."""
    found = channel_capacity([[1 - p, p], [p, 1 - p]])
    truth = LN2 - binary_entropy(p)
    assert found.value == pytest.approx(truth, abs=1e-9)
    low, high = found.confidence_interval
    assert low <= truth <= high <= low + 1e-8


@pytest.mark.parametrize("p", [0.0, 0.2, 0.9])
def test_an_erasure_channel_has_the_capacity_of_what_is_not_erased(p):
    """Cover & Thomas 2006, section 7.1.5."""
    found = channel_capacity([[1 - p, 0, p], [0, 1 - p, p]])
    assert found.value == pytest.approx((1 - p) * LN2, abs=1e-9)


def test_the_z_channel_has_its_capacity_at_a_prior_that_is_not_uniform():
    """C = ln(1 + (1 − p) p^(p / (1 − p))), at p = 1/2: ln(5/4) (Cover & Thomas 2006, exercise)."""
    found = channel_capacity([[1, 0], [0.5, 0.5]])
    low, high = found.confidence_interval
    assert low <= math.log(1.25) <= high
    assert high - low < 1e-8
    assert mutual_information([[1, 0], [0.5, 0.5]]).value < math.log(1.25) - 1e-4


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, math.log(3), 3.0])
def test_randomized_response_transmits_less_than_its_claim_allows(epsilon):
    found = mutual_information(response(2, epsilon), claim=PureDP(epsilon))
    truth = LN2 - binary_entropy(1 / (1 + math.exp(epsilon)))
    assert found.value == pytest.approx(truth, rel=1e-9)
    assert found.bound == pytest.approx(min(epsilon**2 / 8, epsilon), rel=1e-9)
    assert found.value < sharpest_information(epsilon) < found.bound
    assert channel_capacity(response(2, epsilon)).value == pytest.approx(truth, abs=1e-8)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_k_ary_randomized_response_attains_the_leakage_that_its_claim_allows(k, epsilon):
    found = min_entropy_leakage(response(k, epsilon), claim=PureDP(epsilon))
    truth = math.log(k * math.exp(epsilon) / (k - 1 + math.exp(epsilon)))
    assert found.value == pytest.approx(truth, rel=1e-9)
    assert found.bound == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_sharpest_bound_is_approached_by_subset_selection(epsilon):
    share = (epsilon / -math.expm1(-epsilon) - 1) / math.expm1(epsilon)
    gaps = []
    for v in (4, 8, 14):
        found = mutual_information(subsets(v, max(1, round(share * v)), epsilon)).value
        gaps.append(1 - found / sharpest_information(epsilon))
    assert min(gaps) >= 0
    assert gaps[-1] < 0.02


def test_the_sharpest_bound_is_no_more_than_either_of_the_usual_ones():
    for epsilon in (0.0, 1e-6, 0.009, 0.011, 1.0, 8.0, 100.0):
        sharp = sharpest_information(epsilon)
        assert 0 <= sharp <= min(epsilon**2 / 8, epsilon) + 1e-12
    assert sharpest_information(0.01) == pytest.approx(sharpest_information(0.01 - 1e-9), rel=1e-6)


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.4])
def test_a_channel_that_reveals_with_probability_delta_leaks_what_that_allows(delta):
    """With probability δ the input itself, else 2-ary randomized response."""
    epsilon, k = 1.0, 4
    channel = np.hstack([(1 - delta) * response(k, epsilon), delta * np.eye(k)])
    claim = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    found = min_entropy_leakage(channel, claim=claim)
    assert found.value <= found.bound + 1e-12
    assert found.bound <= math.log(k) + 1e-12
    revealed = mutual_information(channel, claim=claim)
    assert revealed.value <= revealed.bound


def test_the_leakage_of_approximate_privacy_is_attained():
    """Two inputs, (ε, δ) = (0, δ): a channel of total variation δ is guessed with (1 + δ) / 2."""
    delta = 0.3
    channel = [[delta, 0, 1 - delta], [0, delta, 1 - delta]]
    found = min_entropy_leakage(channel, claim=ApproxDP(0.0, delta))
    assert found.value == pytest.approx(math.log(1 + delta), rel=1e-9)
    assert found.bound == pytest.approx(found.value, rel=1e-9)


def test_every_claim_bounds_information_by_its_total_variation_or_divergence():
    assert mutual_information_allowed(ZeroConcentratedDP(0.02)) == pytest.approx(0.02)
    assert mutual_information_allowed(GaussianDP(0.4)) == pytest.approx(0.08)
    assert mutual_information_allowed(RenyiDP(2.0, 0.3)) == pytest.approx(0.3)
    assert mutual_information_allowed(PureDP(20.0)) == pytest.approx(20.0)
    assert mutual_information_allowed(ApproxDP(0.1, 0.01)) == math.inf
    bounded = mutual_information_allowed(ApproxDP(0.0, 0.01), 4)
    assert bounded == pytest.approx(0.01 * math.log(4))
    assert leakage_allowed(GaussianDP(1.0), 2) == pytest.approx(
        math.log(1 + float(GaussianDP(1.0).delta(0.0))), rel=1e-6
    )


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1], [1.0, 0.0]])
def test_what_is_known_and_what_is_learned_add_up_to_the_prior(prior):
    channel = response(2, 1.0)
    whole = entropy(probabilities=prior).value
    learned = mutual_information(channel, prior).value
    left = conditional_entropy(channel, prior).value
    assert learned + left == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 10])
def test_equal_probabilities_have_the_log_of_their_number_as_entropy(k):
    found = entropy(probabilities=np.full(k, 1 / k))
    assert found.value == pytest.approx(math.log(k), abs=1e-12)
    assert found.n == 0


def test_independent_attributes_have_the_most_entropy_given_single_marginals():
    first, second = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.9])
    found = maximum_entropy_prior((3, 2), {0: first, 1: second})
    assert found.value.reshape(3, 2) == pytest.approx(np.outer(first, second), abs=1e-12)
    assert entropy(probabilities=found.value).value == pytest.approx(
        entropy(probabilities=first).value + entropy(probabilities=second).value
    )


def test_a_markov_chain_has_the_most_entropy_given_its_neighboring_pairs():
    """Marginals over (0, 1) and (1, 2): attributes 0 and 2 are independent given 1."""
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    pairs = {(0, 1): joint.sum(axis=2), (2, 1): joint.sum(axis=0).T}
    found = maximum_entropy_prior((2, 3, 2), pairs).value.reshape(2, 3, 2)
    chain = joint.sum(axis=2)[:, :, None] * joint.sum(axis=0) / joint.sum(axis=(0, 2))[:, None]
    assert found == pytest.approx(chain, abs=1e-10)
