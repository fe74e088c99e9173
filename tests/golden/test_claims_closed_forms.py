"""Profiles and trade-offs against mpmath, brute force and published figures."""

from __future__ import annotations

import math

import mpmath as mp
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


def exact_gaussian_delta(mu: float, epsilon: float) -> mp.mpf:
    """Balle & Wang 2018, Theorem 8, with 400 digits against cancellation."""
    with mp.workdps(400):
        m, e = mp.mpf(mu), mp.mpf(epsilon)
        return +(mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m))


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.03, 0.3, 0.999, 1.0, 1.001, 3.0, 8.0, 30.0])
def test_gaussian_profile_agrees_with_mpmath_to_ten_digits_and_rounds_up(mu):
    claim = GaussianDP(mu)
    for deviations in (-2.0, -0.3, 0.0, 1e-3, 0.5, 1.0, 3.0, 8.0, 20.0, 36.0):
        for epsilon in (mu * deviations, mu * deviations + mu * mu / 2):
            exact = exact_gaussian_delta(mu, epsilon)
            computed = claim.delta(epsilon)
            assert mp.mpf(computed) >= exact
            if exact > 1e-300:
                assert mp.mpf(computed) <= exact * (1 + mp.mpf("1e-10"))


def exact_quantile(alpha: float) -> mp.mpf:
    """Return the normal quantile of 1 - alpha."""
    if alpha < 1e-40:
        return mp.findroot(lambda z: mp.log(mp.ncdf(-z) / mp.mpf(alpha)), 30)
    return mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(alpha))


@pytest.mark.parametrize("mu", [1e-3, 0.3, 1.0, 3.0, 8.0])
def test_gaussian_trade_off_agrees_with_mpmath_and_rounds_down(mu):
    claim = GaussianDP(mu)
    for alpha in (1e-200, 1e-15, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9):
        with mp.workdps(60):
            exact = mp.ncdf(exact_quantile(alpha) - mp.mpf(mu))
        computed = claim.beta(alpha)
        assert mp.mpf(computed) <= exact
        assert mp.mpf(computed) >= exact * (1 - mp.mpf("1e-11"))


def test_the_smallest_gaussian_for_one_and_a_hundred_thousandth_is_the_published_one():
    sigma = 3.730632
    assert GaussianDP(1 / sigma).delta(1.0) == pytest.approx(1e-5, rel=1e-5)
    assert GaussianDP(1 / (0.8 * sigma)).delta(1.0) == pytest.approx(2.2028e-4, abs=5e-9)
    assert GaussianDP(1 / (0.5 * sigma)).delta(1.0) == pytest.approx(0.0103949, abs=5e-8)


def test_the_classical_gaussian_holds_at_eight_and_fails_at_ten():
    """sigma^2 = 2 ln(1.25 / delta) / epsilon^2 at delta = 1e-5."""
    for epsilon, holds in ((1.0, True), (8.0, True), (10.0, False)):
        sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / epsilon
        assert GaussianDP(1 / sigma).implies(ApproxDP(epsilon, 1e-5)) is holds
    assert GaussianDP(10 / math.sqrt(2 * math.log(1.25e5))).delta(10.0) == pytest.approx(
        2.3e-5, rel=0.02
    )


def test_laplace_noise_of_a_smaller_scale_reaches_its_published_delta():
    """An event of Laplace noise with 0.8 and 0.5 of its scale stays inside PureDP(1/0.8), (2)."""
    assert PureDP(1 / 0.8).delta(1.0) >= 0.11750
    assert PureDP(2.0).delta(1.0) >= 0.39347


def test_pure_profile_is_that_of_randomized_response():
    for claimed, epsilon in ((1.0, 0.5), (3.0, 0.0), (0.1, 0.09), (50.0, 49.0)):
        with mp.workdps(50):
            exact = (mp.exp(claimed) - mp.exp(epsilon)) / (1 + mp.exp(claimed))
        computed = mp.mpf(PureDP(claimed).delta(epsilon))
        assert exact <= computed <= exact * (1 + mp.mpf("1e-13"))


def brute_force_delta(order: float, bound: float, epsilon: float) -> float:
    """Return the best event that a direct search finds inside both Rényi bounds."""
    from scipy.optimize import brentq, minimize_scalar

    def moment(p: float, q: float) -> float:
        return p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)

    allowed = math.exp((order - 1) * bound)

    def shortfall(log_q: float) -> float:
        q = math.exp(log_q)

        def room(p: float) -> float:
            return max(moment(p, q), moment(q, p)) - allowed

        p = brentq(room, q, 1 - 1e-14, xtol=1e-15) if room(1 - 1e-14) > 0 else 1.0
        return math.exp(epsilon) * q - p

    grid = np.linspace(math.log(1e-9), math.log(0.9), 200)
    values = [shortfall(log_q) for log_q in grid.tolist()]
    i = min(max(int(np.argmin(values)), 1), len(grid) - 2)
    bounds = (grid[i - 1], grid[i + 1])
    found = minimize_scalar(shortfall, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    return -min(*values, float(found.fun))


@pytest.mark.parametrize(("order", "bound"), [(1.2, 0.3), (2.0, 0.5), (2.0, 3.0), (16.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0, 2.0])
def test_renyi_profile_is_the_best_event_that_both_moments_allow(order, bound, epsilon):
    best = brute_force_delta(order, bound, epsilon)
    computed = RenyiDP(order, bound).delta(epsilon)
    assert computed >= best * (1 - 1e-12)
    assert computed <= best * (1 + 1e-7)


def exact_event_divergence(order: float, p: mp.mpf, alpha: float) -> mp.mpf:
    """Return the larger Rényi divergence of two coins with biases p and alpha."""
    a, q = mp.mpf(order), mp.mpf(alpha)
    forward = p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)
    backward = q**a * p ** (1 - a) + (1 - q) ** a * (1 - p) ** (1 - a)
    return mp.log(max(forward, backward)) / (a - 1)


@pytest.mark.parametrize(("order", "bound"), [(1.2, 0.3), (2.0, 0.5), (16.0, 1.0)])
@mp.workdps(120)
def test_renyi_trade_off_lies_on_the_boundary_of_the_region(order, bound):
    claim = RenyiDP(order, bound)
    for alpha in (1e-12, 1e-4, 0.05, 0.3, 0.6, 0.95, 1 - 1e-9):
        beta = claim.beta(alpha)
        assert exact_event_divergence(order, 1 - mp.mpf(beta), alpha) >= bound
        above = mp.mpf(beta) + min(beta, 1 - beta) * mp.mpf("1e-10")
        above += mp.mpf("5e-16") if alpha < 0.5 else 0  # doubles near 1
        assert exact_event_divergence(order, 1 - above, alpha) <= bound


def test_renyi_profile_is_never_above_the_closed_form():
    """Canonne, Kamath & Steinke 2020, Proposition 12; Balle et al. 2020."""
    epsilon = np.linspace(0.0, 12.0, 49)
    for order in (1.05, 1.5, 2.0, 10.0, 200.0):
        for bound in (1e-6, 0.01, 0.5, 5.0):
            exponent = (order - 1) * (bound - epsilon + np.log1p(-1 / order)) - np.log(order)
            closed = np.exp(np.minimum(exponent, 0.0))
            assert (RenyiDP(order, bound).delta(epsilon) <= closed * (1 + 1e-11) + 1e-320).all()


def test_the_best_event_of_a_unit_gaussian_at_order_two_falls_short_of_its_moment():
    """Its Rényi divergence is 1, and its best event reaches .662: the region is wider."""
    z = np.linspace(-6.0, 6.0, 100_001)
    from scipy.special import ndtr

    p, q = ndtr(-z + 1), ndtr(-z)
    best = np.log(p**2 / q + (1 - p) ** 2 / (1 - q)).max()
    assert best == pytest.approx(0.662, abs=1e-3)
    claim = RenyiDP(2, float(best))
    inner = q < 1 - 1e-9
    assert (1 - p[inner] >= claim.beta(q[inner]) - 1e-9).all()


def test_kairouz_oh_viswanath_is_optimal_for_five_hundred_queries():
    claim = compose([PureDP(1.0)] * 500, how="advanced", delta=1e-5)
    assert claim.epsilon == pytest.approx(311.8, abs=0.05)
    assert claim.declared_delta == 1e-5


@pytest.mark.parametrize(("epsilon", "k", "i"), [(0.5, 12, 3), (1.0, 7, 2), (0.1, 40, 12)])
def test_kairouz_oh_viswanath_reads_off_theorem_three_three(epsilon, k, i):
    """((k - 2i) epsilon, delta_i) with delta_i from the theorem, computed by mpmath."""
    e = mp.mpf(epsilon)
    terms = [
        mp.binomial(k, s) * (mp.exp((k - s) * e) - mp.exp((k - 2 * i + s) * e)) for s in range(i)
    ]
    delta = mp.fsum(terms) / (1 + mp.exp(e)) ** k
    claim = compose([PureDP(epsilon)] * k, how="advanced", delta=float(delta))
    assert claim.epsilon == pytest.approx((k - 2 * i) * epsilon, rel=1e-8)


def test_one_randomized_response_composed_with_slack_has_its_own_profile():
    slack = PureDP(1.0).delta(0.6)
    from dpaudit.claims.composition import homogeneous_epsilon

    assert homogeneous_epsilon(1.0, 1, slack) == pytest.approx(0.6, rel=1e-9)


@pytest.mark.parametrize("mu", [0.2, 1.0, 4.0])
def test_conjugates_of_the_gaussian_recover_its_profile_and_its_trade_off(mu):
    """Dong, Roth & Su 2022, Proposition 2.12."""
    exact = GaussianDP(mu)
    epsilon = np.linspace(-2.0, 6.0, 33)
    alpha = np.linspace(0.0, 1.0, 33)
    profile = TradeOff(exact.beta).delta(epsilon)
    assert profile == pytest.approx(exact.delta(epsilon), rel=1e-9, abs=1e-12)
    tradeoff = PrivacyProfile(exact.delta).beta(alpha)
    assert tradeoff == pytest.approx(exact.beta(alpha), rel=1e-9, abs=1e-12)
    for e in (0.0, 0.7, 2.5):
        assert TradeOff(exact.beta).delta(e) >= exact_gaussian_delta(mu, e)
    for a in (0.01, 0.4, 0.9):
        with mp.workdps(50):
            z = mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(a))
            assert PrivacyProfile(exact.delta).beta(a) <= mp.ncdf(z - mp.mpf(mu))


def test_zcdp_beats_the_textbook_conversion():
    """Bun & Steinke 2016, Proposition 1.3: epsilon = rho + 2 sqrt(rho log(1/delta))."""
    for rho in (0.01, 0.5, 5.0):
        for delta in (1e-2, 1e-6):
            epsilon = rho + 2 * math.sqrt(rho * math.log(1 / delta))
            assert ZeroConcentratedDP(rho).delta(epsilon) < 0.5 * delta
