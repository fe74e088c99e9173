"""Prices of releases against closed forms."""

from fractions import Fraction
from math import exp, log

import flint
import pytest
import sympy

from dpaudit.claims import (
    ApproxDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpaudit.formal.price import release, total
from dpaudit.formal.price.against import Fit, against, exact
from dpaudit.formal.price.balls import compared, precision
from dpaudit.formal.price.gaussian import gaussian_delta
from dpaudit.formal.price.notions import (
    Apart,
    Approximate,
    Concentrated,
    Either,
    Gaussian,
    Pure,
    Repeated,
    Sampled,
    together,
)
from dpaudit.formal.price.optimal import composed_delta
from dpaudit.formal.trial.laws import Exponential, Gumbel, Laplace, Maximum, TwoSided, Whole
from dpaudit.formal.trial.winner import winning

ONE = sympy.Integer(1)
HALF = sympy.Rational(1, 2)


def test_laplace_noise_costs_the_distance_over_the_scale():
    price = release.laplace(sympy.Integer(100), sympy.Integer(100), ONE, sympy.Integer(50))
    assert total.pure(price) == 2


def test_two_sided_geometric_noise_costs_log_of_one_over_alpha():
    price = release.two_sided_geometric(ONE, ONE, ONE, sympy.exp(-1))
    assert total.pure(price) == 1


def test_gaussian_noise_costs_the_squared_ratio_and_half_of_it_in_zcdp():
    price = release.gaussian(sympy.Integer(3), sympy.Integer(2))
    assert total.gaussian(price) == sympy.Rational(9, 4)
    assert total.concentrated(price) == sympy.Rational(9, 8)
    assert total.renyi(price, sympy.Integer(5)) == sympy.Rational(45, 8)


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


def test_optimal_composition_of_500_epsilons_of_one_is_311_point_8():
    with precision(256):
        below = composed_delta(ONE, 500, sympy.Rational(3117, 10))
        above = composed_delta(ONE, 500, sympy.Rational(3119, 10))
        assert above < flint.arb("1e-5") < below


def test_optimal_composition_beats_the_sum_where_delta_allows_it():
    price = Repeated(Pure(sympy.Rational(1, 10)), sympy.Integer(20))
    assert against(price, ApproxDP(1.0, 0.01)).fit is Fit.WITHIN
    assert against(price, ApproxDP(1.0, 1e-9)).fit is Fit.EXCEEDS


def test_disjoint_parts_cost_the_largest_and_two_of_them_where_one_is_replaced():
    parts = (Pure(ONE), Pure(HALF), Pure(HALF))
    assert total.pure(Apart(parts, 1)) == 1
    assert total.pure(Apart(parts, 2)) == sympy.Rational(3, 2)
    assert total.pure(Apart((Pure(HALF), Pure(HALF)), 2)) == 1


def test_a_public_branch_costs_its_worst_side():
    assert total.pure(Either((Pure(ONE), Pure(HALF)))) == 1


def test_parts_of_different_kinds_are_bounded_one_by_one():
    price = Apart((Pure(ONE), Gaussian(ONE)), 1)
    assert against(price, ApproxDP(2.0, 0.2)).fit is Fit.WITHIN
    assert against(price, ApproxDP(1.0, 0.2)).fit is Fit.EXCEEDS


def test_laplace_has_its_own_renyi_divergence_and_pure_noise_that_of_randomized_response():
    two = sympy.Integer(2)
    laplace = float(total.renyi(Pure(ONE, (), True), two))
    other = float(total.renyi(Pure(ONE), two))
    assert laplace == pytest.approx(log(2 / 3 * exp(1) + 1 / 3 * exp(-2)))
    p = exp(1) / (1 + exp(1))
    assert other == pytest.approx(log(p**2 / (1 - p) + (1 - p) ** 2 / p))
    assert laplace < other < 1


def test_mixed_releases_add_up_in_zcdp():
    price = together(Pure(ONE), Gaussian(ONE), Concentrated(HALF))
    assert against(price, ZeroConcentratedDP(1.5)).fit is Fit.WITHIN
    assert against(price, ZeroConcentratedDP(1.4999)).fit is Fit.EXCEEDS
    assert against(price, GaussianDP(10.0)).fit is Fit.UNKNOWN
    assert against(price, RenyiDP(2.0, 3.0)).fit is Fit.WITHIN


def test_a_sample_costs_what_the_claim_says_and_a_larger_rate_more():
    claim = PureDP(1.0).amplified(0.2)
    assert against(Sampled(Pure(ONE), exact(0.2)), claim).fit is Fit.WITHIN
    assert against(Sampled(Pure(ONE), exact(0.21)), claim).fit is Fit.EXCEEDS


def test_a_sampled_gaussian_is_compared_by_its_parameters():
    claim = GaussianDP(1.0).amplified(0.25)
    assert against(Sampled(Gaussian(ONE), exact(0.25)), claim).fit is Fit.WITHIN
    assert against(Sampled(Gaussian(exact(1.01)), exact(0.25)), claim).fit is Fit.EXCEEDS
    assert against(Gaussian(ONE), claim).fit is Fit.EXCEEDS


def test_a_sampled_gaussian_has_an_amplified_delta():
    price, rate = Gaussian(ONE), exact(0.1)
    delta = GaussianDP(1.0).amplified(0.1).delta(1.0)
    assert against(Sampled(price, rate), ApproxDP(1.0, delta * 1.001)).fit is Fit.WITHIN
    assert against(Sampled(price, rate), ApproxDP(1.0, delta * 0.999)).fit is Fit.EXCEEDS


def test_an_excess_by_rounding_is_no_excess():
    claim = PureDP(0.3)
    assert against(Pure(3 * exact(0.1)), claim).fit is Fit.ROUNDING
    assert against(Pure(exact(0.3)), claim).fit is Fit.WITHIN
    assert against(Pure(exact(0.3000001)), claim).fit is Fit.EXCEEDS


def test_a_symbolic_price_is_compared_for_all_values():
    epsilon = sympy.Symbol("epsilon", positive=True)
    one = Pure(epsilon / (epsilon + 1))
    assert against(one, PureDP(1.0)).fit is Fit.WITHIN
    assert against(Pure(epsilon), PureDP(1.0)).fit is not Fit.WITHIN


def test_deltas_of_uniform_noise_add_up():
    price = together(release.uniform(ONE, sympy.Integer(200)), Approximate(ONE, exact(0.01)))
    assert against(price, ApproxDP(1.0, 0.0151)).fit is Fit.WITHIN
    assert against(price, ApproxDP(1.0, 0.0149)).fit is not Fit.WITHIN


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
