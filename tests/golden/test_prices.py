"""Prices of releases against closed forms."""

from fractions import Fraction
from math import exp, log

import pytest
import sympy

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.formal.price import total
from dpaudit.formal.price.against import Fit, against, exact
from dpaudit.formal.price.balls import compared, precision
from dpaudit.formal.price.gaussian import gaussian_delta
from dpaudit.formal.price.notions import Approximate, Gaussian, Pure, Together
from dpaudit.formal.trial.laws import Exponential, Gumbel, Laplace, Maximum, TwoSided, Whole
from dpaudit.formal.trial.winner import winning

ONE = sympy.Integer(1)
HALF = sympy.Rational(1, 2)


@pytest.mark.parametrize(("share", "delta"), [(0.8, 2.2028e-4), (0.5, 0.0103949)])
def test_gaussian_profile_is_that_of_the_zoo(share, delta):
    sigma = exact(share * 3.730632)
    with precision(96):
        assert float(gaussian_delta(1 / sigma**2, ONE)) == pytest.approx(delta, rel=1e-4)


def test_smallest_deviation_for_one_and_1e_minus_5_is_decided_to_six_digits():
    claim = ApproxDP(1.0, 1e-5)
    enough, less = (Gaussian(1 / exact(sigma) ** 2) for sigma in (3.730632, 3.73063))
    assert against(enough, claim).fit is Fit.WITHIN
    assert against(less, claim).fit is Fit.EXCEEDS


def test_gaussian_noise_never_keeps_a_pure_claim():
    assert against(Gaussian(sympy.Rational(1, 10**9)), PureDP(100.0)).fit is Fit.UNKNOWN


def test_laplace_has_its_own_renyi_divergence_and_pure_noise_that_of_randomized_response():
    two = sympy.Integer(2)
    laplace = float(total.renyi(Pure(ONE, True), two))
    other = float(total.renyi(Pure(ONE), two))
    assert laplace == pytest.approx(log(2 / 3 * exp(1) + 1 / 3 * exp(-2)))
    p = exp(1) / (1 + exp(1))
    assert other == pytest.approx(log(p**2 / (1 - p) + (1 - p) ** 2 / p))
    assert laplace < other < 1


def test_an_excess_by_rounding_is_no_excess():
    claim = PureDP(0.3)
    assert against(Pure(3 * exact(0.1)), claim).fit is Fit.ROUNDING
    assert against(Pure(exact(0.3)), claim).fit is Fit.WITHIN
    assert against(Pure(exact(0.3000001)), claim).fit is Fit.EXCEEDS


def test_logarithms_are_compared_in_balls():
    assert compared(sympy.log(3), exact(log(3))) in (-1, 1)
    assert compared(sympy.log(4), 2 * sympy.log(2)) == 0


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


def test_mixed_releases_add_up_in_zcdp():
    price = Together((Pure(ONE), Gaussian(ONE)))
    assert against(price, ZeroConcentratedDP(1)).fit is Fit.WITHIN
    assert against(price, ZeroConcentratedDP(0.9999)).fit is Fit.EXCEEDS
    assert against(price, GaussianDP(10.0)).fit is Fit.UNKNOWN
    assert against(price, RenyiDP(2.0, 2.0)).fit is Fit.WITHIN


def test_deltas_add_up():
    price = Together((Approximate(sympy.Integer(0), exact(0.005)), Approximate(ONE, exact(0.01))))
    assert against(price, ApproxDP(1.0, 0.0151)).fit is Fit.WITHIN
    assert against(price, ApproxDP(1.0, 0.0149)).fit is not Fit.WITHIN
