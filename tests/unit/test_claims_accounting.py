"""Events of dp-accounting read as claims."""

from __future__ import annotations

import math
import sys

import pytest

from dpaudit.claims import (
    GaussianDP,
    PrivacyProfile,
    PureDP,
    ZeroConcentratedDP,
    compose,
    from_dp_event,
)

dp = pytest.importorskip("dp_accounting")


@pytest.mark.parametrize(
    ("make", "claim"),
    [
        (lambda: dp.NoOpDpEvent(), PureDP(0.0)),
        (lambda: dp.GaussianDpEvent(2.0), GaussianDP(0.5)),
        (lambda: dp.LaplaceDpEvent(0.1), PureDP(10.0)),
        (lambda: dp.ZCDpEvent(0.25), ZeroConcentratedDP(0.25)),
        (lambda: dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 9), GaussianDP(3.0)),
        (lambda: dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 0), PureDP(0.0)),
        (
            lambda: dp.ComposedDpEvent([dp.LaplaceDpEvent(2.0), dp.LaplaceDpEvent(1.0)]),
            PureDP(1.5),
        ),
        (
            lambda: dp.PoissonSampledDpEvent(0.1, dp.LaplaceDpEvent(1.0)),
            PureDP(1.0).amplified(0.1),
        ),
        (
            lambda: dp.SampledWithoutReplacementDpEvent(10, 1, dp.LaplaceDpEvent(1.0)),
            PureDP(2.0).amplified(0.1, relation="replace-one"),
        ),
    ],
)
def test_events_become_the_claims_they_stand_for(make, claim):
    assert from_dp_event(make()) == claim


def test_a_sampled_gaussian_becomes_a_whole_profile():
    claim = from_dp_event(dp.PoissonSampledDpEvent(0.1, dp.GaussianDpEvent(1.0)))
    assert isinstance(claim, PrivacyProfile)
    assert claim == GaussianDP(1.0).amplified(0.1)


def test_randomized_response_with_half_noise_on_two_buckets_is_log_three():
    claim = from_dp_event(dp.RandomizedResponseDpEvent(0.5, 2))
    assert claim.epsilon == pytest.approx(math.log(3), rel=1e-14)
    assert claim.epsilon >= math.log(3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.NonPrivateDpEvent(),
        lambda: dp.UnsupportedDpEvent(),
        lambda: dp.ZCDpEvent(0.25, 0.1),
        lambda: dp.SampledWithReplacementDpEvent(10, 1, dp.LaplaceDpEvent(1.0)),
        lambda: dp.ComposedDpEvent([dp.LaplaceDpEvent(1.0), dp.NonPrivateDpEvent()]),
    ],
)
def test_a_part_that_is_not_supported_is_named(make):
    with pytest.raises(ValueError, match=r"DpEvent.* is not supported"):
        from_dp_event(make())


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.GaussianDpEvent(0.0),
        lambda: dp.LaplaceDpEvent(0.0),
        lambda: dp.RandomizedResponseDpEvent(0.0, 2),
    ],
)
def test_an_event_without_noise_is_refused(make):
    with pytest.raises(ValueError, match="promises nothing"):
        from_dp_event(make())


def test_what_is_no_event_is_refused():
    with pytest.raises(TypeError, match=r"must be a dp_accounting\.DpEvent"):
        from_dp_event(PureDP(1.0))


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(ImportError, match=r"pip install 'dpaudit\[accounting\]'"):
        from_dp_event(object())


def test_gaussian_composition_agrees_with_the_accountant():
    from dp_accounting.pld import PLDAccountant

    event = dp.SelfComposedDpEvent(dp.GaussianDpEvent(4.0), 9)
    accountant = PLDAccountant(dp.NeighboringRelation.ADD_OR_REMOVE_ONE).compose(event)
    claim = from_dp_event(event)
    assert claim == compose([GaussianDP(0.25)] * 9)
    assert claim.delta(1.0) == pytest.approx(accountant.get_delta(1.0), rel=1e-3)


POISSON = "PoissonSampledDpEvent"


def sampled(noise=1.0):
    return dp.PoissonSampledDpEvent(0.1, dp.GaussianDpEvent(noise))


def fixed_size():
    return dp.SampledWithoutReplacementDpEvent(10, 1, dp.GaussianDpEvent(1.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.ComposedDpEvent([sampled(), fixed_size()]),
        lambda: dp.PoissonSampledDpEvent(0.5, fixed_size()),
        lambda: dp.PoissonSampledDpEvent(0.5, dp.RandomizedResponseDpEvent(0.5, 2)),
        lambda: dp.ComposedDpEvent([dp.RandomizedResponseDpEvent(0.5, 2), sampled()]),
    ],
)
def test_parts_about_different_neighbors_are_refused(make):
    with pytest.raises(ValueError, match="no one neighboring relation") as caught:
        from_dp_event(make())
    assert POISSON in str(caught.value)
    assert "that agree" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "relation"),
    [
        (sampled, "replace-one"),
        (fixed_size, "add/remove"),
        (lambda: dp.RandomizedResponseDpEvent(0.5, 2), "add/remove"),
    ],
)
def test_a_relation_under_which_an_event_means_nothing_is_refused(make, relation):
    with pytest.raises(ValueError, match="no one neighboring relation"):
        from_dp_event(make(), relation=relation)


def test_other_parts_take_the_relation_of_the_sampled_one():
    claim = from_dp_event(
        dp.ComposedDpEvent([dp.RandomizedResponseDpEvent(1.0, 2), dp.GaussianDpEvent(1.0)])
    )
    assert claim == GaussianDP(2.0)
    alone = from_dp_event(dp.GaussianDpEvent(1.0), relation="replace-one")
    together = from_dp_event(dp.ComposedDpEvent([fixed_size(), dp.GaussianDpEvent(1.0)]))
    assert together.delta(1.0) > alone.delta(1.0)


def test_zcdp_beside_a_part_under_replace_one_needs_the_relation_said():
    event = dp.ComposedDpEvent([dp.RandomizedResponseDpEvent(0.5, 2), dp.ZCDpEvent(0.1)])
    with pytest.raises(ValueError, match=r"is ambiguous.*relation='replace-one'"):
        from_dp_event(event)
    assert isinstance(from_dp_event(event, relation="replace-one"), ZeroConcentratedDP)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dp.dp_event.DiscreteLaplaceDpEvent(0.0, 1), "no distribution"),
        (lambda: dp.dp_event.DiscreteLaplaceDpEvent(-1.0, 1), "no distribution"),
        (lambda: dp.SampledWithoutReplacementDpEvent(10, 11, dp.NoOpDpEvent()), "draws no sample"),
        (lambda: dp.SampledWithoutReplacementDpEvent(-5, -1, dp.NoOpDpEvent()), "draws no sample"),
        (lambda: dp.SelfComposedDpEvent(dp.NoOpDpEvent(), -1), "negative count"),
    ],
)
def test_parameters_without_a_meaning_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        from_dp_event(make())


def test_nothing_sampled_promises_everything():
    assert from_dp_event(dp.PoissonSampledDpEvent(0.0, dp.GaussianDpEvent(1.0))) == PureDP(0.0)
    event = dp.SampledWithoutReplacementDpEvent(9, 0, dp.GaussianDpEvent(1.0))
    assert from_dp_event(event) == PureDP(0.0)
    assert from_dp_event(dp.GaussianDpEvent(math.inf)) == GaussianDP(0.0)


def test_a_sampled_claim_says_its_relation():
    assert "(add/remove)" in repr(from_dp_event(sampled()))
    assert "(replace-one)" in repr(from_dp_event(fixed_size()))
