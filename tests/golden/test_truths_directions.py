"""Composition of sampled claims, by direction: never below exact sums, integrals and bounds."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    compose,
    from_dp_event,
)
from dpaudit.claims.directions import DIRECTIONS, directed_delta
from dpaudit.claims.privacy_loss import composed_profile
from tests.sweeps import sampled

RATES = st.sampled_from([0.01, 0.1, 0.5, 0.9, 1.0])


def response(epsilon, delta):
    """The dominating pair of (epsilon, delta): four outputs, two of which reveal."""
    truth = 1 / (1 + math.exp(-epsilon))
    kept = 1 - delta
    left = np.array([delta, kept * truth, kept * (1 - truth), 0.0])
    return left, left[::-1]


def sampled_pair(pair, rate, direction):
    """The pair after Poisson sampling (Zhu, Dong & Wang 2022, Theorem 11)."""
    p, q = pair
    if direction == "remove":
        return (1 - rate) * q + rate * p, q
    return p, (1 - rate) * p + rate * q


def exact_delta(pairs, epsilon):
    """Sum over all outputs of all parts."""
    p = q = np.ones(1)
    for left, right in pairs:
        p, q = np.outer(p, left).ravel(), np.outer(q, right).ravel()
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


PARTS = st.lists(
    st.tuples(st.floats(0.05, 3), st.sampled_from([0.0, 1e-6, 0.01]), RATES, st.integers(1, 2)),
    min_size=1,
    max_size=3,
)


@settings(max_examples=60, deadline=None)
@given(PARTS)
def test_no_composition_is_below_the_sum_over_all_outputs(parts):
    claims = Counter()
    for epsilon, delta, rate, k in parts:
        whole = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
        claims[PrivacyProfile(whole.delta).amplified(rate)] += k
    profile = composed_profile(claims)
    for direction in DIRECTIONS:
        pairs = [
            sampled_pair(response(e, d), rate, direction)
            for e, d, rate, k in parts
            for _ in range(k)
        ]
        for at in np.linspace(-3, 5, 17):
            exact = exact_delta(pairs, at)
            stated = float(profile.directed(np.array([at]), direction)[0])
            assert stated >= exact * (1 - 1e-9) - 1e-13
            if at >= 0:
                assert profile(float(at)) >= stated


def normal(x, mean=0.0):
    return np.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi)


def exact_sampled_gaussians(rate, mu, k, epsilon, direction):
    """delta of k sampled Gaussians: trapezoids, which converge fast for smooth integrands.

    The last of the k steps is integrated in closed form: the output at which the loss crosses
    epsilon is known, and beyond it both masses are normal tails.
    """
    from scipy.special import ndtr

    x = np.linspace(-9, 9 + mu, 1201)
    weight = (x[1] - x[0]) * np.ones_like(x)
    p, q = (
        (1 - rate) * normal(x) + rate * normal(x, mu),
        normal(x),
    )
    if direction == "add":
        p, q = q, p
    loss = np.log(p) - np.log(q)
    total, mass = np.zeros(1), np.ones(1)
    for _ in range(k - 1):
        total, mass = np.add.outer(total, loss).ravel(), np.outer(mass, p * weight).ravel()
    rest = epsilon - total
    if direction == "remove":  # loss = log(1 - rate + rate e^(mu x - mu^2/2)) > rest
        inner = (np.exp(np.minimum(rest, 600)) - (1 - rate)) / rate
        cut = np.where(inner > 0, np.log(np.maximum(inner, 1e-300)) / mu + mu / 2, -np.inf)
        above = (1 - rate) * ndtr(-cut) + rate * ndtr(mu - cut)
        below = ndtr(-cut)
    else:  # -loss < -rest, on the other side
        inner = (np.exp(np.minimum(-rest, 600)) - (1 - rate)) / rate
        cut = np.where(inner > 0, np.log(np.maximum(inner, 1e-300)) / mu + mu / 2, -np.inf)
        above = ndtr(cut)
        below = (1 - rate) * ndtr(cut) + rate * ndtr(cut - mu)
    return float(mass @ np.maximum(above - np.exp(rest) * below, 0.0))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("rate", "mu"), [(0.1, 1.0), (0.01, 1.5), (0.5, 0.5)])
@pytest.mark.parametrize("k", sampled([1, 2, 3], 1))
def test_sampled_gaussians_agree_with_integration_in_both_directions(rate, mu, k, direction):
    profile = composed_profile({GaussianDP(mu).amplified(rate): k})
    for epsilon in (0.0, 0.05, 0.3, 1.0, 1.5):
        exact = exact_sampled_gaussians(rate, mu, k, epsilon, direction)
        stated = float(profile.directed(np.array([epsilon]), direction)[0])
        assert stated >= exact * (1 - 1e-7) - 1e-14
        # what is added ends at a largest loss, where the grid counts for more
        assert stated <= exact * (1.01 if exact > 1e-6 else 1.1) + 1e-11


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.9])
@pytest.mark.parametrize("base", [GaussianDP(1.0), PrivacyProfile(ApproxDP(1.0, 1e-3).delta)])
def test_removing_and_adding_are_the_same_pair_swapped(rate, base):
    claim = base.amplified(rate)
    at = np.linspace(-4, 4, 81)
    removed, added = (directed_delta(claim, at, direction) for direction in DIRECTIONS)
    swapped = 1 - np.exp(at) + np.exp(at) * removed[::-1]
    assert added == pytest.approx(swapped, abs=1e-12)
    both = np.maximum(removed, added)[at >= 0]
    assert claim.delta(at[at >= 0]) == pytest.approx(both, abs=1e-13)


def test_more_steps_a_higher_rate_and_less_noise_lose_more():
    at = np.linspace(0, 3, 13)

    def stated(rate, mu, k):
        return compose([GaussianDP(mu).amplified(rate)] * k).delta(at)

    middle = stated(0.05, 1.0, 20)
    for more in (stated(0.06, 1.0, 20), stated(0.05, 1.1, 20), stated(0.05, 1.0, 24)):
        assert np.all(more >= middle)
    assert np.all(np.diff(middle) <= 0)


def test_a_composition_within_a_composition_is_the_composition_of_all():
    step = GaussianDP(1.0).amplified(0.1)
    inner = compose([step] * 3 + [GaussianDP(0.5)])
    assert compose([inner] * 2 + [step]) == compose([step] * 7 + [GaussianDP(0.5)] * 2)


def test_a_sample_of_a_sample_is_a_sample_at_the_product_of_the_rates():
    twice = GaussianDP(1.0).amplified(0.5).amplified(0.2)
    once = GaussianDP(1.0).amplified(0.1)
    at = np.linspace(-3, 3, 61)
    for direction in DIRECTIONS:
        exact = directed_delta(once, at, direction)
        assert directed_delta(twice, at, direction) == pytest.approx(exact, abs=1e-12)


def test_a_sample_of_a_composition_keeps_its_directions():
    """One sample, then two sampled steps on it: the sum over all outputs, both ways."""
    base = PrivacyProfile(PureDP(1.0).delta)
    claim = compose([base.amplified(0.5)] * 2, how="numeric").amplified(0.2)
    for direction in DIRECTIONS:
        one = sampled_pair(response(1.0, 0.0), 0.5, direction)
        both = tuple(np.outer(side, side).ravel() for side in one)
        pair = sampled_pair(both, 0.2, direction)
        for at in (-0.5, -0.1, 0.0, 0.1, 0.3):
            exact = exact_delta([pair], at)
            stated = float(directed_delta(claim, np.array([at]), direction)[0])
            assert exact - 1e-12 <= stated <= exact + 3e-3


def test_samples_under_different_relations_do_not_compose():
    removed = GaussianDP(1.0).amplified(0.1)
    replaced = GaussianDP(1.0).amplified(0.1, relation="replace-one")
    with pytest.raises(ValueError, match="one neighboring relation"):
        compose([removed, replaced])
    with pytest.raises(ValueError, match="cannot be amplified under"):
        removed.amplified(0.5, relation="replace-one")


def test_under_replace_one_every_step_counts_the_larger_direction():
    """A step may be either: one removes what the other adds, and their sum is bound as well."""
    rate, mu = 0.2, 1.0
    step = GaussianDP(mu).amplified(rate, relation="replace-one")
    claim = compose([step] * 2)
    x = np.linspace(-9, 10, 1901)
    removed = (1 - rate) * normal(x) + rate * normal(x, mu), normal(x)
    added = removed[::-1]
    for pairs in itertools.product((removed, added), repeat=2):
        p, q = (np.outer(pairs[0][i], pairs[1][i]) for i in (0, 1))
        for epsilon in (0.0, 0.2, 0.5, 1.0):
            exact = float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) * 1e-4
            assert claim.delta(epsilon) >= exact * (1 - 1e-4)


def epsilon_of(claim, delta):
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if claim.delta(middle) > delta else (low, middle)
    return high


CASES = [
    (0.01, 1.0, 1_000),
    (0.001, 0.8, 5_000),
    (0.1, 1.0, 3),
    (0.02, 2.0, 20_000),
    (0.5, 4.0, 50),
]


@pytest.mark.parametrize(("rate", "noise", "steps"), sampled(CASES, 2))
def test_steps_of_dp_sgd_are_within_a_percent_of_the_accountant(rate, noise, steps):
    """Never below its optimistic estimate, which is a lower bound up to cut tails."""
    dp = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution as pld

    step = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(noise))
    claim = from_dp_event(dp.SelfComposedDpEvent(step, steps))
    accountant = dp.pld.PLDAccountant().compose(dp.SelfComposedDpEvent(step, steps))
    for delta in (1e-3, 1e-5, 1e-7):
        theirs = accountant.get_epsilon(delta)
        assert epsilon_of(claim, delta) <= 1.01 * theirs
    low = pld.from_gaussian_mechanism(
        noise,
        sampling_prob=rate,
        pessimistic_estimate=False,
        use_connect_dots=False,
        value_discretization_interval=1e-4,
    ).self_compose(steps)
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        assert claim.delta(epsilon) >= low.get_delta_for_epsilon(epsilon) * (1 - 1e-9) - 1e-13


def test_small_deltas_of_many_steps_are_resolved():
    """Rounding of the transforms alone would be five times the truth here."""
    claim = from_dp_event_of_steps(0.001, 0.8, 5_000)
    assert 1.05e-10 <= claim.delta(2.0) <= 1.2e-10


def from_dp_event_of_steps(rate, noise, steps):
    return compose([GaussianDP(1 / noise).amplified(rate)] * steps)


def test_different_steps_together_are_within_a_percent_of_the_accountant():
    dp = pytest.importorskip("dp_accounting")
    event = dp.ComposedDpEvent(
        [
            dp.LaplaceDpEvent(2.0),
            dp.GaussianDpEvent(3.0),
            dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.02, dp.GaussianDpEvent(1.1)), 300),
            dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.1, dp.LaplaceDpEvent(1.5)), 10),
        ]
    )
    claim = from_dp_event(event)
    accountant = dp.pld.PLDAccountant().compose(event)
    for delta in (1e-3, 1e-5, 1e-7):
        assert epsilon_of(claim, delta) == pytest.approx(accountant.get_epsilon(delta), rel=0.01)
    mixed = compose([from_dp_event(event), ApproxDP(0.5, 1e-6), PureDP(0.1)])
    assert mixed.delta(1.0) > claim.delta(1.0)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(
    "claim",
    [
        GaussianDP(0.4),
        ApproxDP(0.5, GaussianDP(0.4).delta(0.5)),
        ZeroConcentratedDP(0.08),
        RenyiDP(9.0, 0.72),
    ],
    ids=str,
)
def test_what_a_gaussian_keeps_for_one_record_covers_it_for_groups(claim, k):
    """Every claim holds for N(0, 1) and N(.4, 1), so its group claim holds for N(.4 k, 1)."""
    at = np.linspace(0, 6, 61)
    assert np.all(claim.for_group(k).delta(at) >= GaussianDP(0.4 * k).delta(at) * (1 - 1e-9))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_groups_of_an_approximate_claim_attain_the_longest_chain(k):
    """p_0 <= e^eps p_1 + delta <= ... is attained with equality while all stay below 1."""
    claim = ApproxDP(0.3, 1e-3)
    p = 1e-4
    last = p
    for _ in range(k):
        p = math.exp(0.3) * p + 1e-3
    group = claim.for_group(k)
    assert p - math.exp(group.epsilon) * last == pytest.approx(group.declared_delta, rel=1e-9)
