"""How claims imply each other, compose, are amplified and extend to groups."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PrivacyProfile,
    PureDP,
    RenyiDP,
    TradeOff,
    ZeroConcentratedDP,
    compose,
)
from dpaudit.claims.amplification import AmplifiedProfile

CLAIMS = [
    PureDP(1.0),
    ApproxDP(1.0, 1e-6),
    RenyiDP(2.0, 0.5),
    ZeroConcentratedDP(0.1),
    GaussianDP(1.0),
    TradeOff(GaussianDP(1.0).beta),
    PrivacyProfile(GaussianDP(1.0).delta),
    GaussianDP(1.0).amplified(0.1),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_every_claim_implies_itself_and_silence_implies_every_claim(claim):
    assert claim.implies(claim)
    for silent in (PureDP(0), GaussianDP(0), ZeroConcentratedDP(0), RenyiDP(2, 0)):
        assert silent.implies(claim)


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        (PureDP(1), PureDP(1.5)),
        (PureDP(1), ApproxDP(1, 1e-9)),
        (PureDP(1), ApproxDP(0.5, 0.3)),
        (PureDP(1), ZeroConcentratedDP(0.5)),
        (PureDP(4), ZeroConcentratedDP(4)),
        (PureDP(1), RenyiDP(2, 1.0)),
        (PureDP(1), RenyiDP(1000, 1.0)),
        (PureDP(1), GaussianDP(1.25)),
        (PureDP(1), TradeOff(GaussianDP(1.25).beta)),
        (ApproxDP(1, 0.1), ApproxDP(1.2, 0.1)),
        (ApproxDP(1, 0.1), TradeOff(ApproxDP(1.1, 0.11).beta)),
        (GaussianDP(1), GaussianDP(2)),
        (GaussianDP(1), ZeroConcentratedDP(0.5)),
        (GaussianDP(1), RenyiDP(2, 1.0)),
        (GaussianDP(1), ApproxDP(1, 0.13)),
        (ZeroConcentratedDP(0.5), RenyiDP(2, 1.0)),
        (ZeroConcentratedDP(0.5), ApproxDP(1, 0.3)),
        (RenyiDP(3, 0.5), RenyiDP(2, 0.6)),
        (RenyiDP(3, 0.5), ApproxDP(1, 0.3)),
        (TradeOff(GaussianDP(1).beta), ApproxDP(1, 0.13)),
        (PrivacyProfile(GaussianDP(1).delta), ApproxDP(1, 0.13)),
    ],
    ids=str,
)
def test_implications_that_are_proved(claim, other):
    assert claim.implies(other)


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        (PureDP(1), PureDP(0.99)),
        (PureDP(1), ApproxDP(0.5, 0.2)),
        (PureDP(1), ZeroConcentratedDP(0.4)),
        (PureDP(1), GaussianDP(1.2)),
        (PureDP(1), TradeOff(GaussianDP(1.2).beta)),
        (ApproxDP(1, 1e-6), PureDP(100)),
        (ApproxDP(1, 1e-6), GaussianDP(100)),
        (ApproxDP(1, 1e-6), ZeroConcentratedDP(100)),
        (ApproxDP(1, 1e-6), RenyiDP(2, 100)),
        (GaussianDP(1), PureDP(100)),
        (GaussianDP(1), ApproxDP(1, 0.12)),
        (GaussianDP(1), RenyiDP(2, 0.99)),
        (ZeroConcentratedDP(0.5), GaussianDP(1)),
        (RenyiDP(2, 0.5), RenyiDP(3, 0.5)),
        (RenyiDP(2, 0.5), ZeroConcentratedDP(10)),
        (TradeOff(GaussianDP(1).beta), GaussianDP(1)),
        (PrivacyProfile(GaussianDP(1).delta), RenyiDP(2, 10)),
    ],
    ids=str,
)
def test_implications_that_are_false_or_not_proved(claim, other):
    assert not claim.implies(other)


def test_implies_refuses_what_is_no_claim():
    with pytest.raises(TypeError, match="`other` must be a claim"):
        PureDP(1.0).implies(1.0)


def test_parameters_add_up_in_sequence():
    assert compose([PureDP(1), PureDP(2)]) == PureDP(3.0)
    assert compose([PureDP(1), ApproxDP(2, 0.25)]) == ApproxDP(3.0, 0.25)
    assert compose([ZeroConcentratedDP(0.25)] * 3) == ZeroConcentratedDP(0.75)
    assert compose([RenyiDP(2, 0.25), RenyiDP(2, 0.5)]) == RenyiDP(2, 0.75)
    assert compose([GaussianDP(3), GaussianDP(4)]) == GaussianDP(5.0)
    assert compose(iter([GaussianDP(1)])) == GaussianDP(1.0)


def test_sums_round_up():
    assert compose([PureDP(0.1)] * 3).epsilon >= 0.30000000000000001665
    assert compose([GaussianDP(0.1)] * 2).mu ** 2 >= 0.02


def test_families_mix_where_a_theorem_converts_them():
    assert compose([PureDP(1), GaussianDP(1)]) == ZeroConcentratedDP(1.0)
    mixed = compose([RenyiDP(4, 0.5), RenyiDP(2, 0.25), ZeroConcentratedDP(0.125), PureDP(0)])
    assert mixed == RenyiDP(2, 1.0)
    small = compose([RenyiDP(2, 1.0), PureDP(1)])
    assert small.order == 2
    response = math.log((math.e**2 + math.exp(-1)) / (1 + math.e))
    assert small.epsilon == pytest.approx(1 + response, rel=1e-12)


@pytest.mark.parametrize(
    "part",
    [ApproxDP(1, 1e-6), TradeOff(GaussianDP(1).beta), PrivacyProfile(GaussianDP(1).delta)],
    ids=str,
)
def test_what_does_not_mix_is_named(part):
    with pytest.raises(ValueError, match="does not compose") as caught:
        compose([GaussianDP(1), part])
    assert str(part) in str(caught.value)


def test_parallel_parts_cost_the_worst_under_add_remove_and_the_two_worst_under_replace_one():
    parts = [PureDP(1), PureDP(3), PureDP(2)]
    assert compose(parts, how="parallel") == PureDP(3.0)
    assert compose(parts, how="parallel", relation="replace-one") == PureDP(5.0)
    assert compose([PureDP(3)] * 4, how="parallel", relation="replace-one") == PureDP(6.0)
    both = compose([ApproxDP(1, 0.25), ApproxDP(2, 0.125)], how="parallel")
    assert both == ApproxDP(2.0, 0.25)
    gaussian = [GaussianDP(3), GaussianDP(4), GaussianDP(1)]
    assert compose(gaussian, how="parallel") == GaussianDP(4.0)
    assert compose(gaussian, how="parallel", relation="replace-one") == GaussianDP(5.0)


def test_compose_refuses_what_it_cannot_read():
    with pytest.raises(ValueError, match="at least one claim"):
        compose([])
    with pytest.raises(TypeError, match="must hold claims"):
        compose([PureDP(1), 1.0])
    with pytest.raises(ValueError, match="`how` must be"):
        compose([PureDP(1)], how="best")
    with pytest.raises(ValueError, match="`relation` must be"):
        compose([PureDP(1)], how="parallel", relation="swap")
    with pytest.raises(ValueError, match="is the slack"):
        compose([PureDP(1)], delta=1e-6)
    with pytest.raises(ValueError, match="must be given"):
        compose([PureDP(1)], how="advanced")
    with pytest.raises(ValueError, match="add up exactly"):
        compose([GaussianDP(1)], how="advanced", delta=1e-6)
    with pytest.raises(ValueError, match="less than 1"):
        compose([ApproxDP(1, 0.5), ApproxDP(1, 0.5)])


def test_advanced_composition_is_never_worse_than_basic():
    for epsilon in (0.01, 1.0, 10.0):
        assert compose([PureDP(epsilon)] * 20, how="advanced", delta=1e-9).epsilon <= 20 * epsilon
    mixed = compose([PureDP(0.1)] * 100 + [PureDP(0.2)], how="advanced", delta=1e-5)
    assert mixed.epsilon < 10.2
    assert compose([PureDP(0)] * 3, how="advanced", delta=1e-5) == ApproxDP(0.0, 1e-5)


def test_advanced_composition_keeps_the_deltas_of_the_parts():
    claim = compose([ApproxDP(0.1, 1e-3)] * 10, how="advanced", delta=1e-5)
    assert claim.declared_delta == pytest.approx(1 - (1 - 1e-3) ** 10 * (1 - 1e-5), rel=1e-12)


def test_groups_follow_their_formulas():
    assert PureDP(0.5).for_group(4) == PureDP(2.0)
    assert GaussianDP(0.5).for_group(4) == GaussianDP(2.0)
    assert ZeroConcentratedDP(0.5).for_group(4) == ZeroConcentratedDP(8.0)
    assert RenyiDP(8, 0.5).for_group(4) == RenyiDP(2.0, 4.5)
    group = ApproxDP(1, 1e-6).for_group(3)
    assert group.epsilon == 3.0
    expected = 1e-6 * (math.exp(3) - 1) / (math.e - 1)
    assert expected <= group.declared_delta <= expected * (1 + 1e-14)
    assert ApproxDP(0, 0.125).for_group(3) == ApproxDP(0.0, 0.375)
    pair = TradeOff(GaussianDP(0.5).beta).for_group(2)
    assert pair.beta(0.3) == pytest.approx(GaussianDP(1.0).beta(0.3), rel=1e-11)


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_a_group_of_one_changes_nothing(claim):
    assert claim.for_group(1) == claim


def test_groups_without_a_theorem_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="power of two"):
        RenyiDP(100, 0.5).for_group(3)
    with pytest.raises(ValueError, match="order must be at least 8"):
        RenyiDP(7, 0.5).for_group(4)
    with pytest.raises(ValueError, match="at least 1"):
        ApproxDP(10, 1e-6).for_group(3)
    with pytest.raises(ValueError, match="at least 1"):
        ApproxDP(400, 1e-6).for_group(3)
    with pytest.raises(ValueError, match="TradeOff"):
        PrivacyProfile(GaussianDP(1).delta).for_group(2)
    with pytest.raises(ValueError, match="`k` must be at least 1"):
        PureDP(1).for_group(0)
    for k in (1.5, True, "2"):
        with pytest.raises(TypeError, match="`k` must be an integer"):
            PureDP(1).for_group(k)


@pytest.mark.parametrize("relation", ["add/remove", "replace-one"])
def test_sampling_amplifies_pure_and_approximate_claims(relation):
    expected = math.log(1 + 0.1 * (math.e - 1))
    pure = PureDP(1).amplified(0.1, relation=relation)
    assert expected <= pure.epsilon <= expected * (1 + 1e-14)
    approximate = ApproxDP(1, 1e-6).amplified(0.1, relation=relation)
    assert approximate.epsilon == pure.epsilon
    assert approximate.declared_delta == pytest.approx(1e-7, rel=1e-15)
    assert PureDP(800).amplified(0.5).epsilon == pytest.approx(800 - math.log(2), rel=1e-14)
    assert PureDP(0).amplified(0.5) == PureDP(0.0)


def test_sampling_amplifies_whole_profiles():
    sampled = GaussianDP(1).amplified(0.1)
    assert isinstance(sampled, PrivacyProfile)
    for epsilon in (0.0, 0.1, 0.7, 1.5, 6.0):
        inner = math.log(1 + (math.exp(epsilon) - 1) / 0.1)
        expected = 0.1 * GaussianDP(1).delta(inner)
        assert expected * (1 - 1e-14) <= sampled.delta(epsilon) <= expected * (1 + 1e-12)
    assert sampled == GaussianDP(1).amplified(0.1) != GaussianDP(1).amplified(0.2)
    again = TradeOff(PureDP(1).beta).amplified(0.1)
    assert again.delta(PureDP(1).amplified(0.1).epsilon) == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("claim", [RenyiDP(2, 0.5), ZeroConcentratedDP(0.5)], ids=str)
def test_moment_claims_refuse_amplification_and_say_why(claim):
    with pytest.raises(ValueError, match="depend on the mechanism"):
        claim.amplified(0.1)


def test_sampling_at_rate_one_changes_nothing_and_bad_rates_are_refused():
    assert GaussianDP(1).amplified(1) == GaussianDP(1)
    for rate in (0, -0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="`rate` must be"):
            PureDP(1).amplified(rate)
    with pytest.raises(TypeError, match="`rate` must be"):
        PureDP(1).amplified("half")
    with pytest.raises(ValueError, match="`relation` must be"):
        PureDP(1).amplified(0.1, relation="swap")


def test_importing_claims_loads_no_heavy_package():
    code = (
        "import sys, dpaudit.claims; "
        "heavy = {'scipy.stats', 'scipy.optimize', 'scipy.special', 'sympy', 'dp_accounting'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_claims_are_fast_enough_to_be_inverted_over_their_parameter():
    """Processor time: ten times what is wanted, for a machine that is shared."""
    from time import process_time

    for claim, limit in [
        (GaussianDP(1.0), 0.03),
        (RenyiDP(2, 0.5), 0.15),
        (ZeroConcentratedDP(0.5), 0.15),
    ]:
        seconds = []
        for value in np.linspace(0.1, 2.0, 8).tolist():
            start = process_time()
            changed = claim.with_parameter(value)
            changed.delta(changed.log_slopes())
            seconds.append(process_time() - start)
        assert min(seconds) < limit


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(1.0, 1e-6), RenyiDP(2.0, 1.0)])
def test_the_profile_of_a_sample_is_of_no_claim_with_an_amplified_one_of_its_own(claim):
    with pytest.raises(ValueError, match="GaussianDP, TradeOff or PrivacyProfile, got"):
        AmplifiedProfile(claim, 0.1)
