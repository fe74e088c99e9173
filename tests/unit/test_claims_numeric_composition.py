"""Numeric composition is never below the truth, and close to it."""

from __future__ import annotations

import math
import pickle
import sys
from fractions import Fraction

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
from dpaudit.claims.privacy_loss import composed_profile

RESOLVED = 1e-6  # deltas from here on are within one per cent, for up to ten thousand claims


def exact_randomized_response(epsilon, delta, k, t):
    """The optimal composition of k (epsilon, delta) claims at t, in rational numbers.

    Kairouz, Oh & Viswanath 2015, Theorem 3.3: k-fold randomized response, which reveals with
    probability delta. e^epsilon and e^t are rounded down to rationals near them, so that the
    result errs by less than 1e-13.
    """
    grown, at = Fraction(math.exp(epsilon)), Fraction(math.exp(t))
    truth = grown / (1 + grown)
    total = Fraction(0)
    for lies in range(k + 1):
        p = math.comb(k, lies) * truth ** (k - lies) * (1 - truth) ** lies
        q = math.comb(k, lies) * truth**lies * (1 - truth) ** (k - lies)
        total += max(p - at * q, Fraction(0))
    kept = (1 - Fraction(delta)) ** k
    return float(1 - kept * (1 - total))


@pytest.mark.parametrize(
    ("epsilon", "delta", "k"),
    [(1.0, 0.0, 1), (0.5, 0.0, 10), (0.1, 0.0, 60), (2.0, 0.0, 7), (0.3, 1e-5, 20), (1.0, 0.1, 4)],
)
def test_composed_randomized_response_is_the_optimal_theorem(epsilon, delta, k):
    part = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    profile = composed_profile({part: k})
    for t in np.linspace(0.0, 1.02 * k * epsilon, 83).tolist():
        exact = exact_randomized_response(epsilon, delta, k, t)
        assert exact - 1e-13 <= profile(t) <= exact * (1 + 1e-9) + 1e-12 * k


@pytest.mark.parametrize(("mu", "k"), [(3.0, 1), (1.0, 10), (0.1, 100), (0.03, 2_000)])
def test_composed_gaussians_are_the_gaussian_of_added_squares(mu, k):
    """Handed over as profiles, so that nothing knows that they are Gaussian."""
    profile = composed_profile({PrivacyProfile(GaussianDP(mu).delta): k})
    exact = GaussianDP(mu * math.sqrt(k))
    for epsilon in np.linspace(0.0, mu * mu * k / 2 + 9 * mu * math.sqrt(k), 300).tolist():
        truth, numeric = exact.delta(epsilon), profile(epsilon)
        assert numeric >= truth * (1 - 1e-12)
        if truth > RESOLVED:
            assert numeric <= 1.01 * truth


def test_unequal_pure_claims_are_composed_exactly():
    """Sum over all signs of the losses; epsilons that lie on no common grid."""
    epsilons = [0.1, 0.25, 3.0, math.sqrt(2)]
    claim = compose([PureDP(e) for e in epsilons], how="numeric")
    for t in np.linspace(0.0, 5.0, 101).tolist():
        exact = 0.0
        for signs in np.ndindex(2, 2, 2, 2):
            loss = sum(e if s else -e for e, s in zip(epsilons, signs, strict=True))
            chance = math.prod(
                1 / (1 + math.exp(-e if s else e)) for e, s in zip(epsilons, signs, strict=True)
            )
            exact += chance * max(0.0, -math.expm1(t - loss))
        # the profile has kinks: what rounds up to the grid is a share of a grid cell
        assert exact - 1e-14 <= claim.delta(t) <= exact + 1e-4


def test_a_pure_claim_beside_a_gaussian_has_the_profile_of_the_mixture():
    """Closed form: the profile of the Gaussian, shifted by the loss of the pure claim."""
    claim = compose([PureDP(0.7), GaussianDP(1.0)], how="numeric")
    truth = 1 / (1 + math.exp(-0.7))
    for t in np.linspace(0.0, 5.0, 101).tolist():
        gaussian = GaussianDP(1.0)
        exact = truth * gaussian.delta(t - 0.7) + (1 - truth) * gaussian.delta(t + 0.7)
        assert exact * (1 - 1e-12) <= claim.delta(t) <= 1.01 * exact + 1e-12


def test_numeric_composition_is_no_worse_than_basic_and_advanced():
    parts = [PureDP(0.1)] * 100
    numeric = compose(parts, how="numeric")
    assert numeric.delta(compose(parts).epsilon) <= 1e-10
    advanced = compose(parts, how="advanced", delta=1e-5)
    assert numeric.delta(advanced.epsilon) <= 1e-5 * (1 + 1e-3)


@pytest.mark.parametrize(
    "part",
    [
        RenyiDP(2.0, 0.3),
        RenyiDP(1.1, 0.2),
        ZeroConcentratedDP(0.1),
        GaussianDP(0.5),
        GaussianDP(1.0).amplified(0.1),
        TradeOff(GaussianDP(0.5).beta),
        ApproxDP(0.2, 0.01),
    ],
    ids=str,
)
def test_beside_a_claim_of_no_account_every_profile_stays_what_it_is(part):
    """A second claim of total variation 5e-5 moves delta by at most that (and the grid).

    The profile of zCDP, the least over a grid of orders, is not quite convex: composition mends it.
    """
    claim = compose([part, PureDP(1e-4)], how="numeric")
    epsilon = np.linspace(0.0, 3.0, 31)
    alone, together = part.delta(epsilon), claim.delta(epsilon)
    assert np.all(together >= alone * (1 - 1e-4))
    assert np.all(together <= 1.02 * alone + 1e-4)


def test_families_that_add_up_exactly_do():
    assert compose([GaussianDP(3), GaussianDP(4)], how="numeric") == GaussianDP(5.0)
    assert compose([ZeroConcentratedDP(0.25)] * 3, how="numeric") == ZeroConcentratedDP(0.75)
    assert compose([RenyiDP(2, 0.25)] * 2, how="numeric") == RenyiDP(2, 0.5)
    assert compose([PureDP(0), GaussianDP(0)], how="numeric") == PureDP(0.0)
    assert compose([PureDP(0), PureDP(1)], how="numeric") == PureDP(1.0)
    assert compose([ApproxDP(1, 0.1)], how="numeric") == ApproxDP(1.0, 0.1)


def test_the_result_is_a_claim_like_any_other():
    claim = compose([PureDP(0.5)] * 3 + [GaussianDP(1.0)], how="numeric")
    assert isinstance(claim, PrivacyProfile)
    assert repr(claim) == (
        "PrivacyProfile(numeric composition of 3 x PureDP(0.5), GaussianDP(1.0))"
    )
    again = pickle.loads(pickle.dumps(claim))
    assert again == claim
    assert hash(again) == hash(claim)
    assert np.array_equal(again.delta(np.linspace(-2, 9, 50)), claim.delta(np.linspace(-2, 9, 50)))
    assert claim.delta(math.inf) <= 1e-11
    assert 1 <= len(claim.log_slopes()) <= 9
    assert claim.implies(ApproxDP(4.0, 0.1))
    assert not claim.implies(ApproxDP(4.0, 0.001))
    assert claim.to_dict()["family"] == "PrivacyProfile"


def test_what_reveals_stays_for_every_epsilon():
    claim = compose([ApproxDP(0.1, 0.1)] * 3, how="numeric")
    assert claim.delta(100.0) == pytest.approx(1 - 0.9**3, rel=1e-9)
    assert claim.delta(100.0) >= 1 - 0.9**3


def test_a_slack_is_refused():
    with pytest.raises(ValueError, match="slack of how='advanced'"):
        compose([PureDP(1)] * 2, how="numeric", delta=1e-6)


def test_numeric_composition_needs_no_other_accountant(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    claim = compose([GaussianDP(1.0).amplified(0.25)] * 2)
    assert 0 < claim.delta(1.0) < GaussianDP(1.0).delta(1.0)
