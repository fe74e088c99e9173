"""Laws that hold for every claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    TradeOff,
    ZeroConcentratedDP,
)

sizes = st.floats(0.0, 12.0)
orders = st.floats(1.01, 300.0)
epsilons = st.floats(-10.0, 30.0)
alphas = st.floats(0.0, 1.0)
parametric = st.one_of(
    st.builds(PureDP, sizes),
    st.builds(ApproxDP, sizes, st.floats(0.0, 0.99)),
    st.builds(RenyiDP, orders, sizes),
    st.builds(ZeroConcentratedDP, sizes),
    st.builds(GaussianDP, sizes),
)
few = settings(max_examples=60, deadline=None)


@few
@given(parametric, epsilons)
def test_delta_is_a_probability_and_at_least_what_complements_force(claim, epsilon):
    delta = claim.delta(epsilon)
    assert max(0.0, -math.expm1(epsilon)) <= delta <= 1.0
    assert delta >= claim.declared_delta


@few
@given(parametric, epsilons, epsilons)
def test_delta_does_not_rise_with_epsilon(claim, first, second):
    low, high = sorted((first, second))
    assert claim.delta(high) <= claim.delta(low) * (1 + 1e-7) + 1e-12


@few
@given(parametric, alphas, alphas)
def test_beta_does_not_rise_with_alpha_and_never_beats_guessing(claim, first, second):
    low, high = sorted((first, second))
    assert claim.beta(high) <= claim.beta(low) * (1 + 1e-9) + 1e-9
    assert claim.beta(low) <= 1 - low


@few
@given(parametric, epsilons, alphas)
def test_delta_and_beta_describe_one_region(claim, epsilon, alpha):
    """Every boundary point obeys every half-plane: 1 - beta - e^epsilon alpha <= delta."""
    excess = 1 - claim.beta(alpha) - math.exp(epsilon) * alpha
    assert excess <= claim.delta(epsilon) + 1e-9


@few
@given(st.builds(PureDP, sizes) | st.builds(GaussianDP, st.floats(0.01, 6.0)), alphas)
def test_beta_is_the_envelope_of_the_half_planes(claim, alpha):
    """Dong, Roth & Su 2022, Proposition 2.12, on a fine grid of slopes."""
    grid = np.unique(np.concatenate([np.linspace(0.0, 100.0, 50001), claim.log_slopes()]))
    delta = claim.delta(grid)
    steep = (1 - delta - np.exp(grid) * alpha).max()
    flat = (np.exp(-grid) * (1 - delta - alpha)).max()
    assert claim.beta(alpha) == pytest.approx(max(0.0, steep, flat), abs=2e-5)


@few
@given(parametric, st.floats(0.0, 10.0))
def test_negative_epsilons_mirror_positive_ones(claim, epsilon):
    mirrored = 1 - math.exp(-epsilon) + math.exp(-epsilon) * claim.delta(epsilon)
    assert claim.delta(-epsilon) == pytest.approx(mirrored, rel=1e-12)


@few
@given(parametric, st.floats(1.0, 3.0), epsilons, alphas)
def test_a_larger_parameter_allows_more(claim, factor, epsilon, alpha):
    larger = claim.with_parameter(claim.parameter[1] * factor)
    assert larger.delta(epsilon) >= claim.delta(epsilon) * (1 - 1e-7) - 1e-12
    assert larger.beta(alpha) <= claim.beta(alpha) * (1 + 1e-9) + 1e-9
    assert claim.implies(larger)


@few
@given(parametric, parametric, parametric)
def test_implication_is_reflexive_and_transitive(first, second, third):
    assert first.implies(first)
    if first.implies(second) and second.implies(third):
        assert first.implies(third)


@few
@given(parametric, parametric, epsilons, alphas)
def test_an_implied_claim_has_the_larger_region(claim, other, epsilon, alpha):
    if claim.implies(other):
        assert claim.delta(epsilon) <= other.delta(epsilon) + 1e-9
        assert claim.beta(alpha) >= other.beta(alpha) - 1e-9


@few
@given(st.floats(1e-3, 8.0), orders, st.floats(0.0, 30.0))
def test_moments_of_the_gaussian_never_promise_less_delta_than_it_has(mu, order, epsilon):
    exact = GaussianDP(mu)
    assert exact.delta(epsilon) <= RenyiDP(order, order * mu * mu / 2).delta(epsilon) * (1 + 1e-9)
    assert exact.delta(epsilon) <= ZeroConcentratedDP(mu * mu / 2).delta(epsilon) * (1 + 1e-9)


@few
@given(st.floats(1e-3, 8.0), orders, alphas)
def test_moments_of_the_gaussian_never_promise_more_error_than_it_has(mu, order, alpha):
    exact = GaussianDP(mu).beta(alpha)
    assert exact >= RenyiDP(order, order * mu * mu / 2).beta(alpha) * (1 - 1e-9)
    assert exact >= ZeroConcentratedDP(mu * mu / 2).beta(alpha) * (1 - 1e-9)


@few
@given(st.floats(1e-3, 8.0), orders, st.floats(0.0, 10.0))
def test_moments_of_randomized_response_never_promise_less_delta_than_it_has(size, order, epsilon):
    moment = np.logaddexp(order * size, (1 - order) * size) - np.logaddexp(0.0, size)
    claim = RenyiDP(order, float(moment) / (order - 1))
    assert PureDP(size).delta(epsilon) <= claim.delta(epsilon) + 1e-11


@few
@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=6), st.data())
def test_moments_of_any_finite_mechanism_never_promise_less_delta_than_it_has(weights, data):
    """P and Q are arbitrary positive distributions; the claim is their exact divergence."""
    other = data.draw(st.lists(st.floats(1e-6, 1.0), min_size=len(weights), max_size=len(weights)))
    order = data.draw(st.floats(1.05, 40.0))
    epsilon = data.draw(st.floats(0.0, 5.0))
    p, q = np.array(weights) / sum(weights), np.array(other) / sum(other)
    forward = np.logaddexp.reduce(order * np.log(p) + (1 - order) * np.log(q))
    backward = np.logaddexp.reduce(order * np.log(q) + (1 - order) * np.log(p))
    bound = max(float(forward), float(backward), 0.0) / (order - 1)
    assume(bound > 1e-9)
    true = np.maximum(p - math.exp(epsilon) * q, 0.0).sum()
    assert true <= RenyiDP(order, bound).delta(epsilon) * (1 + 1e-9) + 1e-12


@few
@given(st.floats(0.01, 5.0), st.floats(0.01, 0.99), st.floats(0.0, 5.0))
def test_sampling_never_raises_delta_and_agrees_with_the_formula(mu, rate, epsilon):
    claim = GaussianDP(mu)
    sampled = claim.amplified(rate)
    inner = math.log1p(math.expm1(epsilon) / rate)
    assert sampled.delta(epsilon) <= claim.delta(epsilon) * (1 + 1e-9) + 1e-300
    assert sampled.delta(epsilon) == pytest.approx(rate * claim.delta(inner), rel=1e-9, abs=1e-300)


@few
@given(st.floats(0.0, 5.0), st.floats(0.0, 0.5), st.floats(0.01, 1.0))
def test_sampling_an_approximate_claim_is_sampling_its_profile(epsilon, delta, rate):
    claim = ApproxDP(epsilon, delta).amplified(rate)
    assert claim.epsilon <= epsilon * (1 + 1e-12)
    assert math.expm1(claim.epsilon) == pytest.approx(rate * math.expm1(epsilon), abs=1e-9)
    assert claim.declared_delta == pytest.approx(rate * delta, rel=1e-12)


@few
@given(parametric, st.integers(1, 4))
def test_a_group_claim_is_implied_by_nothing_weaker_than_one_record(claim, c):
    """Where a group claim exists it is never stronger than the claim for one record."""
    try:
        group = claim.for_group(2**c)
    except ValueError:
        return
    epsilon = np.linspace(0.0, 3.0, 7)
    assert (group.delta(epsilon) >= claim.delta(epsilon) * (1 - 1e-7) - 1e-12).all()


@settings(max_examples=15, deadline=None)
@given(st.builds(GaussianDP, st.floats(0.05, 5.0)) | st.builds(PureDP, st.floats(0.05, 5.0)))
def test_functions_of_a_claim_describe_the_same_region_on_the_safe_side(claim):
    epsilon, alpha = np.linspace(-3.0, 8.0, 12), np.linspace(0.0, 1.0, 12)
    by_tradeoff, by_profile = TradeOff(claim.beta), PrivacyProfile(claim.delta)
    for same in (by_tradeoff, by_profile):
        assert (same.delta(epsilon) >= claim.delta(epsilon) - 1e-13).all()
        assert same.delta(epsilon) == pytest.approx(claim.delta(epsilon), abs=1e-11)
        assert (same.beta(alpha) <= claim.beta(alpha) + 1e-13).all()
        assert same.beta(alpha) == pytest.approx(claim.beta(alpha), abs=1e-9)
