"""What may be claimed, and how claims present themselves."""

from __future__ import annotations

import json
import math
import pickle
import re
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.claims import (
    ApproxDP,
    Claim,
    GaussianDP,
    HalfPlane,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    TradeOff,
    ZeroConcentratedDP,
)

FAMILIES = [
    PureDP(1.0),
    ApproxDP(1.0, 1e-6),
    RenyiDP(2.0, 0.5),
    ZeroConcentratedDP(0.1),
    GaussianDP(1.0),
    TradeOff(GaussianDP(1.0).beta),
    PrivacyProfile(GaussianDP(1.0).delta),
]
ONE_PARAMETER = [
    (PureDP, "epsilon"),
    (GaussianDP, "mu"),
    (ZeroConcentratedDP, "rho"),
    (lambda value: ApproxDP(value, 0.1), "epsilon"),
    (lambda value: RenyiDP(2.0, value), "epsilon"),
]


@pytest.mark.parametrize(("make", "name"), ONE_PARAMETER)
@pytest.mark.parametrize("value", [-1.0, -1e-300, math.inf, -math.inf, math.nan, 10**400])
def test_negative_infinite_and_nan_parameters_are_refused_by_name(make, name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be"):
        make(value)


@pytest.mark.parametrize(("make", "name"), ONE_PARAMETER)
@pytest.mark.parametrize("value", [True, "1", None, 1j, [1.0], np.array([1.0])])
def test_what_is_not_a_real_number_is_refused_by_name(make, name, value):
    with pytest.raises(TypeError, match=f"`{name}` must be a real number"):
        make(value)


@pytest.mark.parametrize(("make", "name"), ONE_PARAMETER)
def test_zero_is_a_legitimate_claim_and_allows_no_change_at_all(make, name):
    claim = make(0)
    assert claim.parameter == (name, 0.0)
    if claim.declared_delta == 0:
        assert claim.delta(0.0) == 0.0
        assert claim.beta(0.3) == 0.7
        assert claim.delta(-1.0) == pytest.approx(1 - math.exp(-1), rel=1e-14)


@pytest.mark.parametrize("delta", [1.0, 1.5, -0.1, math.nan, math.inf])
def test_delta_outside_the_half_open_unit_interval_is_refused_with_the_remedy(delta):
    with pytest.raises(ValueError, match=r"for pure DP use PureDP\(epsilon\)"):
        ApproxDP(1.0, delta)


def test_delta_of_one_is_refused_in_the_words_of_the_house():
    words = "`delta` must be in [0, 1), got 1.0; for pure DP use PureDP(epsilon)"
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        ApproxDP(1.0, 1.0)


def test_delta_of_zero_is_legitimate_and_means_pure_dp():
    assert ApproxDP(1.0, 0.0).implies(PureDP(1.0))
    assert PureDP(1.0).implies(ApproxDP(1.0, 0.0))


@pytest.mark.parametrize("order", [1.0, 0.5, -2.0, math.inf, math.nan])
def test_orders_of_at_most_one_and_infinite_orders_are_refused(order):
    with pytest.raises(ValueError, match="`order` must be"):
        RenyiDP(order, 1.0)


@pytest.mark.parametrize("value", [2, np.float64(2.0), np.int64(2), Fraction(2)])
def test_any_real_number_is_kept_as_a_float(value):
    assert type(PureDP(value).epsilon) is float
    assert PureDP(value) == PureDP(2.0)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (PureDP(1), "PureDP(1.0)"),
        (ApproxDP(1, 1e-6), "ApproxDP(1.0, 1e-06)"),
        (RenyiDP(2, 0.5), "RenyiDP(2.0, 0.5)"),
        (ZeroConcentratedDP(0.1), "ZeroConcentratedDP(0.1)"),
        (GaussianDP(1), "GaussianDP(1.0)"),
    ],
)
def test_a_claim_prints_as_its_constructor_call(claim, text):
    assert str(claim) == repr(claim) == text
    assert eval(text) == claim


def test_keywords_name_the_parameters_of_the_paper():
    assert ApproxDP(epsilon=1.0, delta=1e-6).declared_delta == 1e-6
    assert RenyiDP(order=2, epsilon=0.5).parameter == ("epsilon", 0.5)


@pytest.mark.parametrize("claim", FAMILIES, ids=str)
def test_every_family_satisfies_the_protocol_and_is_a_frozen_value(claim):
    assert isinstance(claim, Claim)
    assert not hasattr(claim, "__dict__")
    again = pickle.loads(pickle.dumps(claim))
    assert str(again) == str(claim)
    if claim.parameter is not None:
        assert again == claim
        assert hash(again) == hash(claim)
    json.dumps(claim.to_dict())
    with pytest.raises(AttributeError):
        setattr(claim, fields(claim)[0].name, 2.0)


@pytest.mark.parametrize("claim", FAMILIES[:5], ids=str)
def test_with_parameter_keeps_the_family_and_the_rest(claim):
    name, value = claim.parameter
    assert claim.with_parameter(value) == claim
    doubled = claim.with_parameter(2 * value)
    assert doubled.parameter == (name, 2 * value)
    assert doubled.declared_delta == claim.declared_delta


@pytest.mark.parametrize("claim", FAMILIES[5:], ids=str)
def test_a_function_claim_has_no_parameter_to_replace(claim):
    assert claim.parameter is None
    with pytest.raises(ValueError, match="has no parameter of its own"):
        claim.with_parameter(1.0)


@pytest.mark.parametrize("claim", FAMILIES, ids=str)
def test_delta_and_beta_keep_the_shape_of_their_argument(claim):
    assert type(claim.delta(0.5)) is float
    assert type(claim.beta(0.5)) is float
    grid = np.linspace(0.0, 1.0, 6).reshape(2, 3)
    assert claim.delta(grid).shape == claim.beta(grid).shape == (2, 3)
    assert claim.delta(grid)[1, 0] == pytest.approx(claim.delta(float(grid[1, 0])), rel=1e-12)
    assert claim.delta(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("claim", FAMILIES, ids=str)
def test_nan_and_errors_outside_the_unit_interval_are_refused(claim):
    with pytest.raises(ValueError, match="nan"):
        claim.delta(math.nan)
    for alpha in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="`alpha` must be in"):
            claim.beta(alpha)


@pytest.mark.parametrize("claim", FAMILIES, ids=str)
def test_extreme_epsilons_give_probabilities(claim):
    values = claim.delta(np.array([-math.inf, -1e9, -800.0, 800.0, 1e9, math.inf]))
    assert (values[:3] == 1.0).all()
    assert (values[3:] <= claim.declared_delta + 1e-13).all()
    assert claim.beta(0.0) == pytest.approx(1 - claim.declared_delta, abs=1e-14)
    assert claim.beta(1.0) == 0.0


@pytest.mark.parametrize("claim", FAMILIES, ids=str)
def test_log_slopes_are_few_ascending_and_not_negative(claim):
    slopes = claim.log_slopes()
    assert 1 <= len(slopes) <= 9
    assert (slopes >= 0).all()
    assert (np.diff(slopes) > 0).all()


def test_straight_regions_need_one_slope_and_keep_the_declared_delta_exactly():
    assert ApproxDP(1.0, 1e-6).log_slopes().tolist() == [1.0]
    assert ApproxDP(1.0, 1e-6).delta(1.0) == 1e-6
    assert PureDP(1.0).half_planes()[0].c == 0.0


def test_only_moment_claims_offer_renyi_bounds():
    assert RenyiDP(3, 0.5).renyi_bounds() == ((3.0, 0.5),)
    assert all(bound >= order * 0.1 for order, bound in ZeroConcentratedDP(0.1).renyi_bounds())
    assert PureDP(1.0).renyi_bounds() == GaussianDP(1.0).renyi_bounds() == ()


@pytest.mark.parametrize("claim", [*FAMILIES, PureDP(800.0), GaussianDP(60.0)], ids=str)
def test_half_planes_hold_the_region_and_all_its_mirror_images(claim):
    alpha = np.linspace(0.0, 1.0, 41)
    edge = 1.0 - claim.beta(alpha)
    points = [(p, q) for p, q in zip(edge, alpha, strict=True)]
    points += [(q, p) for p, q in points] + [(1 - p, 1 - q) for p, q in points]
    for plane in claim.half_planes():
        assert isinstance(plane, HalfPlane)
        for p, q in points:
            scale = max(1.0, abs(plane.b), abs(plane.a))
            assert plane.a * p - plane.b * q <= plane.c + 1e-12 * scale


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda a: 1 - a * a, "at most 1 - alpha"),
        (lambda a: 0.5 * a, "non-increasing"),
        (lambda a: 2.0 - a, "must stay in"),
        (lambda a: max(0.0, 1 - a - 0.2) if a < 0.3 else max(0.0, 0.7 - a), "non-convex|convex"),
        (lambda a: math.nan, "got nan"),
        (lambda a: -0.5, "must stay in"),
    ],
)
def test_what_is_no_trade_off_function_is_refused(function, words):
    with pytest.raises(ValueError, match=words):
        TradeOff(function)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda e: 1e-5 if e >= 1 else 1.0, "convex in exp"),
        (lambda e: min(1.0, 0.1 + 0.1 * e), "non-increasing"),
        (lambda e: 1.5, "must stay in"),
        (lambda e: math.nan, "got nan"),
    ],
)
def test_what_is_no_privacy_profile_is_refused(function, words):
    with pytest.raises(ValueError, match=words):
        PrivacyProfile(function)


def test_functions_that_are_none_or_return_none_are_refused():
    with pytest.raises(TypeError, match="must be callable"):
        TradeOff(0.5)
    with pytest.raises(TypeError, match="must return numbers"):
        TradeOff(lambda alpha: None)
    with pytest.raises(TypeError, match="must return numbers"):
        PrivacyProfile(lambda epsilon: "0.1")


def test_a_function_of_scalars_serves_as_well_as_one_of_arrays():
    by_scalars = TradeOff(lambda alpha: max(0.0, 1 - 0.1 - alpha))
    assert by_scalars.delta(np.array([0.0, 3.0])) == pytest.approx([0.1, 0.1], abs=1e-13)


def test_an_asymmetric_trade_off_is_made_symmetric_since_neighbors_run_both_ways():
    steep = TradeOff(lambda alpha: np.maximum(0.0, 1 - 4 * np.asarray(alpha)))
    mirrored = TradeOff(lambda alpha: np.maximum(0.0, (1 - np.asarray(alpha)) / 4))
    for claim in (steep, mirrored):
        assert claim.beta(0.1) == pytest.approx(0.6, abs=1e-12)
        assert claim.beta(0.6) == pytest.approx(0.1, abs=1e-12)
        assert claim.delta(np.log(4)) == pytest.approx(0.0, abs=1e-12)
