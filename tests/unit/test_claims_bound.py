"""The bound on a claim's own parameter from one event, against the families' own formulas."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from dpaudit import ApproxDP, GaussianDP, PrivacyProfile, PureDP, RenyiDP, ZeroConcentratedDP
from dpaudit.claims.bound import parameter_at_least
from tests.sweeps import repeated, sampled

CHANCES = st.floats(0.01, 0.99)
FAMILIES = [
    PureDP(1.0),
    ApproxDP(1.0, 0.01),
    GaussianDP(1.0),
    RenyiDP(2.0, 0.5),
    ZeroConcentratedDP(0.1),
]


def test_pure_dp_is_bounded_by_the_log_ratio():
    assert parameter_at_least(PureDP(0.1), 0.5, 0.1) == pytest.approx(math.log(5), abs=1e-9)
    assert parameter_at_least(PureDP(0.1), 0.5, 0.1) <= math.log(5)


def test_gaussian_dp_is_bounded_by_the_distance_of_the_quantiles():
    found = parameter_at_least(GaussianDP(0.3), norm.cdf(0.7), norm.cdf(-0.4))
    assert found == pytest.approx(1.1, abs=1e-6)
    assert found <= 1.1


@settings(max_examples=repeated(10, full=60), deadline=None, derandomize=True)
@given(CHANCES, CHANCES, st.sampled_from(FAMILIES))
def test_the_bound_excludes_the_point_and_nothing_above_it_is_said_to_hold(p, q, claim):
    bound = parameter_at_least(claim, p, q)
    assert bound >= 0
    if bound > 0:
        assert 1 - p < claim.with_parameter(bound).beta(q)


def test_an_impossible_event_excludes_every_parameter():
    assert parameter_at_least(PureDP(1.0), 0.5, 0.0) == math.inf
    assert parameter_at_least(GaussianDP(1.0), 0.5, 0.0) == math.inf


def test_a_claim_without_a_parameter_has_no_bound():
    assert parameter_at_least(PrivacyProfile(lambda e: 0.1), 0.5, 0.1) is None


@pytest.mark.parametrize("value", sampled([0.0, 5e-324, 1e-300], 1))
@pytest.mark.parametrize(
    "family",
    [
        PureDP,
        lambda v: ApproxDP(v, 1e-6),
        lambda v: RenyiDP(2.0, v),
        ZeroConcentratedDP,
        GaussianDP,
    ],
)
def test_the_bound_of_a_claim_of_nearly_zero_is_found_like_that_of_another(family, value):
    """Doubling 0 never leaves 0."""
    for p, q in ((0.9, 0.1), (0.5, 0.4), (0.9, 0.0)):
        found, usual = (parameter_at_least(family(v), p, q) for v in (value, 1.0))
        assert found == pytest.approx(usual, rel=1e-6)
