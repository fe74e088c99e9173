"""Prices of releases against closed forms."""

from fractions import Fraction
from math import exp, log

import pytest

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.formal.balls import precision
from dpaudit.formal.trial.divergence import gaussian_exceeds, halfspace, laplace_exceeds
from dpaudit.formal.trial.laws import Exponential, Gumbel, Laplace, Maximum, TwoSided, Whole
from dpaudit.formal.trial.winner import winning


@pytest.mark.parametrize(("share", "delta"), [(0.8, 2.2028e-4), (0.5, 0.0103949)])
def test_gaussian_profile_is_that_of_the_zoo(share, delta):
    with precision(96):
        p, q = halfspace(1 / Fraction(share * 3.730632) ** 2, Fraction(1))
        assert float(p) - exp(1) * float(q) == pytest.approx(delta, rel=1e-4)


def test_smallest_deviation_for_one_and_1e_minus_5_is_decided_to_six_digits():
    claim = ApproxDP(1.0, 1e-5)
    enough, less = (1 / Fraction(sigma) ** 2 for sigma in (3.730632, 3.73063))
    assert not gaussian_exceeds(enough, claim)
    assert gaussian_exceeds(less, claim)


def test_gaussian_noise_breaks_pure_claims_by_events_alone():
    assert not gaussian_exceeds(Fraction(9), PureDP(0.1))


@pytest.mark.parametrize(
    ("claim", "most"),
    [(ZeroConcentratedDP(0.5), 1), (RenyiDP(3.0, 1.5), 1), (GaussianDP(1.0), 1)],
)
def test_a_distance_of_gaussian_outputs_is_compared_with_each_claim(claim, most):
    assert not gaussian_exceeds(Fraction(most), claim)
    assert gaussian_exceeds(most + Fraction(1, 10**9), claim)


def test_laplace_has_its_own_renyi_divergence():
    """Less than that of randomized response, which is the largest of a loss of 1."""
    one = log(2 / 3 * exp(1) + 1 / 3 * exp(-2))
    for losses, truth in (([Fraction(1)], one), ([Fraction(1)] * 3, 3 * one)):
        assert laplace_exceeds(losses, RenyiDP(2.0, truth * (1 - 1e-9)))
        assert not laplace_exceeds(losses, RenyiDP(2.0, truth * (1 + 1e-9)))


def test_an_excess_by_rounding_is_no_excess():
    claim = GaussianDP(0.3)
    assert 3 * Fraction(0.1) > Fraction(0.3)
    assert not gaussian_exceeds((3 * Fraction(0.1)) ** 2, claim)
    assert gaussian_exceeds(Fraction(0.3000001) ** 2, claim)


def test_gumbel_noise_wins_by_softmax():
    with precision(128):
        chances = winning([Fraction(0), Fraction(1)], [Gumbel(Fraction(1))] * 2)
        assert float(chances[1]) == pytest.approx(1 / (1 + exp(-1)))


@pytest.mark.parametrize("law", [Laplace(Fraction(2)), Exponential(Fraction(2))])
def test_the_winner_of_two_with_laplace_or_exponential_noise_has_a_closed_form(law):
    """For a gap t in scales: e^-t (2 + t) / 4 with Laplace noise, e^-t / 2 with exponential."""
    with precision(128):
        loses = winning([Fraction(0), Fraction(2)], [law] * 2)[0]
    truth = exp(-1) * 3 / 4 if isinstance(law, Laplace) else exp(-1) / 2
    assert float(loses) == pytest.approx(truth)
    assert loses.rad() < 1e-20


def test_probabilities_of_all_winners_add_up_to_one():
    places = [Fraction(k, 3) for k in (0, 1, 1, 5)]
    with precision(128):
        chances = winning(places, [Laplace(Fraction(1))] * 4)
        assert sum(chances[1:], chances[0]).contains(1)


def test_noise_cut_to_an_integer_has_twice_the_mass_at_zero():
    with precision(96):
        cut = Whole(Laplace(Fraction(1)), "trunc")
        at_zero = cut.below(Fraction(0), strict=False) - cut.below(Fraction(0), strict=True)
        assert float(at_zero) == pytest.approx(1 - exp(-1))


def test_two_sided_geometric_distribution_is_that_of_its_masses():
    law, alpha = TwoSided(Fraction(1, 3)), 1 / 3
    with precision(96):
        masses = [
            float(law.below(Fraction(k), strict=False) - law.below(Fraction(k), strict=True))
            for k in range(-4, 5)
        ]
    truth = [(1 - alpha) / (1 + alpha) * alpha ** abs(k) for k in range(-4, 5)]
    assert masses == pytest.approx(truth)


def test_the_maximum_is_below_t_if_all_are():
    law = Maximum(((Fraction(0), Laplace(Fraction(1))), (Fraction(1), Laplace(Fraction(1)))))
    with precision(96):
        assert float(law.below(Fraction(1), strict=False)) == pytest.approx((1 - exp(-1) / 2) / 2)
