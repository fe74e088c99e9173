"""Limits for proportions, their regions, and what a divergence is on them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import kl_div
from scipy.stats import binom, binomtest

from dpaudit.estimates.dual import dual_bound
from dpaudit.estimates.proportions import anytime_limits, clopper_pearson, lower_limit, upper_limit
from dpaudit.estimates.ratio import PairTest
from dpaudit.estimates.region import Box, Region, extremes, hull, least_pair


def hockey(epsilon):
    return lambda p, q: np.maximum(p - np.exp(epsilon) * q, 0.0)


def chi_squared(p, q):
    safe = np.where(q > 0, q, 1.0)
    return np.where(q > 0, p * p / safe, np.where(p > 0, np.inf, 0.0))


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (17, 100_000)])
def test_clopper_pearson_is_that_of_scipy_and_rounds_outward(k, n):
    low, high = clopper_pearson(k, n)
    exact = binomtest(k, n).proportion_ci(0.95, method="exact")
    assert float(low) == pytest.approx(exact.low, rel=1e-9)
    assert float(high) == pytest.approx(exact.high, rel=1e-9)
    assert k == 0 or binom.sf(k - 1, n, float(low)) <= 0.025
    assert k == n or binom.cdf(k, n, float(high)) <= 0.025


def test_one_sided_limits_spend_all_their_error_on_one_end():
    low, high = clopper_pearson(5, 20, side="lower")
    assert float(high) == 1.0
    assert float(low) > float(clopper_pearson(5, 20)[0])


def test_without_a_draw_nothing_is_known():
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("arguments", [(3, 2), (-1, 2), (0.5, 2)])
def test_what_is_no_count_is_refused(arguments):
    with pytest.raises(ValueError, match="pass counts"):
        clopper_pearson(*arguments)


def test_a_tail_smaller_than_one_rounding_error_still_gives_an_upper_limit():
    assert 0.5 < float(upper_limit(50, 100, 1e-30)) < 1
    assert 0 < float(lower_limit(50, 100, 1e-30)) < 0.5


def test_anytime_limits_hold_the_frequency_and_are_wider_than_fixed_ones():
    for k, n in [(0, 5), (5, 5), (1, 2), (30, 1000), (0, 1_000_000), (3, 10_000_000)]:
        low, high = anytime_limits(k, n, 0.05)
        fixed_low, fixed_high = clopper_pearson(k, n)
        assert low <= fixed_low <= k / n <= fixed_high <= high


@pytest.mark.parametrize("miss", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize(
    ("k", "n"),
    [(1, 1), (1, 2), (7, 9), (3, 10**7), (10**5, 10**5 + 4), (10**8, 10**8), (5 * 10**7, 10**8)],
)
def test_anytime_limits_are_just_outside_what_the_mixture_does_not_reject(k, n, miss):
    """In fifty digits."""
    with mpmath.workdps(50):
        mixture = mpmath.log(mpmath.beta(k + 0.5, n - k + 0.5) / mpmath.pi)
        low, high = anytime_limits(k, n, miss)
        for end in {float(low), float(high)} - {0.0, 1.0}:
            fitted = k * mpmath.log(end) + (n - k) * mpmath.log1p(-mpmath.mpf(end))
            assert 0 <= mixture - fitted + mpmath.log(miss) < 1e-3
    assert (low > 0, high < 1) == (True, k < n)


@pytest.mark.parametrize("miss", [0.99, 0.999999, 1 - 2**-53])
def test_anytime_limits_that_may_nearly_always_miss_are_computed_without_a_warning(miss):
    for k, n in ((0, 1), (1, 1), (0, 2), (1, 2), (0, 10**8), (10**8, 10**8)):
        low, high = anytime_limits(k, n, miss)
        assert 0 <= low <= k / n <= high <= 1
        assert (low == 0, high == 1) == (k == 0, k == n)


def test_anytime_limits_hold_at_every_look():
    """Ever missing has probability 0.1 at most; more than 36 in 200 would be at 2e-4 or less."""
    rng = np.random.default_rng(1)
    missed = 0
    looks = np.unique(np.geomspace(1, 1000, 40).astype(int))
    for p in np.tile([0.02, 0.5], 100):
        seen = np.cumsum(rng.random(1000) < p)
        ends = [anytime_limits(seen[n - 1], int(n), 0.1) for n in looks]
        missed += any(not low <= p <= high for low, high in ends)
    assert missed <= 36


@pytest.mark.parametrize("cells", [2, 3, 5, 9])
def test_the_least_divergence_is_that_of_a_convex_program(cells):
    rng = np.random.default_rng(cells)
    counts = [rng.multinomial(4000, rng.dirichlet(np.ones(cells))) for _ in range(2)]
    region = Region.of(*counts, 0.95)
    for term in (kl_div, chi_squared):
        bounds = list(
            zip(
                np.append(region.p.low, region.q.low),
                np.append(region.p.high, region.q.high),
                strict=True,
            )
        )
        sums = [
            {"type": "eq", "fun": lambda x: x[:cells].sum() - 1},
            {"type": "eq", "fun": lambda x: x[cells:].sum() - 1},
        ]
        solved = minimize(
            lambda x, term=term: term(x[:cells], x[cells:]).sum(),
            np.concatenate(counts) / 4000,
            bounds=bounds,
            constraints=sums,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-13},
        )
        least = region.least(term)
        assert least <= solved.fun + 1e-9
        assert least == pytest.approx(solved.fun, rel=1e-5)


@pytest.mark.parametrize("other", [None, 0])
def test_all_events_all_corners_and_the_dual_agree_on_the_greatest_hockey_stick(other):
    rng = np.random.default_rng(3)
    for n in (0, 1, 30, 100_000):
        counts = [rng.multinomial(n, rng.dirichlet(np.ones(4))) for _ in range(2)]
        region = Region.of(*counts, 0.9, other=other)
        level, power = region.strongest_tests()
        for epsilon in (-1.0, 0.0, 0.5, 3.0):
            events = (power - np.exp(epsilon) * level).max()
            corners = region._greatest_corner(hockey(epsilon))
            assert events == pytest.approx(corners, abs=1e-9)
            assert region._dual(hockey(epsilon)) >= corners - 1e-9


def _by_linear_program(terms, p, q):
    """The same dual, solved as a linear program over weights of the four corners of each cell."""
    k = len(p)
    left, right = np.broadcast_arrays(p[:, :, None], q[:, None, :])
    solved = linprog(
        -terms.ravel(),
        A_eq=np.vstack([left.ravel(), right.ravel(), np.repeat(np.eye(k), 4, axis=1)]),
        b_eq=np.ones(k + 2),
    )
    return -solved.fun


@pytest.mark.parametrize("term", [kl_div, chi_squared, hockey(0.3), hockey(-4.0)])
def test_the_dual_is_that_of_a_linear_program(term):
    rng = np.random.default_rng(5)
    for draws in (60, 2_000, 100_000):
        for cells in (8, 33):
            counts = [rng.multinomial(draws, rng.dirichlet(np.ones(cells))) for _ in range(2)]
            region = Region.of(*counts, 0.9)
            p, q = (np.stack([box.low, box.high], axis=1) for box in (region.p, region.q))
            q = np.maximum(q, 1e-6)  # so that every term is finite
            terms = term(*np.broadcast_arrays(p[:, :, None], q[:, None, :]))
            solved = _by_linear_program(terms, p, q)
            assert dual_bound(terms, p, q) == pytest.approx(solved, rel=1e-7)


def test_no_pair_in_the_region_lies_outside_the_extremes():
    rng = np.random.default_rng(4)
    counts = np.array([[40, 30, 20, 9, 1], [10, 10, 30, 45, 5]])
    region = Region.of(*counts, 0.95)
    for term in (kl_div, chi_squared, hockey(0.3)):
        low, high = extremes(*counts, term, 0.95)
        for _ in range(300):
            pair = [_inside(rng, box) for box in (region.p, region.q)]
            assert low <= term(*pair).sum() <= high


def _inside(rng, box):
    """Return a point of a box that sums to one, by way between two corners."""
    corners = box.corners()
    weights = rng.dirichlet(np.full(len(corners), 0.1))
    return weights @ corners


def test_an_unbounded_term_makes_the_upper_end_infinite():
    assert extremes([5, 5], [10, 0], kl_div, 0.95)[1] == np.inf


def test_one_cell_holds_everything():
    assert extremes([7], [3], kl_div, 0.95) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_a_hull_of_nothing_is_the_diagonal():
    p, q = least_pair(np.zeros(0), np.zeros(0))
    assert p.tolist() == q.tolist() == [1.0]
    assert hull(np.array([0.2]), np.array([0.9]))[1].tolist() == [0.0, 0.9, 1.0]


def test_the_box_of_two_cells_is_one_interval_and_its_complement():
    box = Box.of([30, 70], 0.95)
    low, high = clopper_pearson(30, 100)
    assert box.low[0] == pytest.approx(float(low))
    assert box.high[1] == pytest.approx(1 - float(low))
    assert box.high[0] == pytest.approx(float(high))


def test_a_pair_test_is_narrower_than_a_box():
    counts = {"x": 4000, "n": 10_000, "y": 2000, "m": 10_000}
    test = PairTest.planned(**counts, level=0.05, pilot=(400, 1000, 200, 1000), intercept=0.0)
    box = lower_limit(4000, 10_000, 0.025) / upper_limit(2000, 10_000, 0.025)
    assert box < test.least_slope(0.0) < 2


def test_a_pair_test_that_saw_nothing_knows_nothing():
    test = PairTest.planned(0, 10, 0, 10, level=0.05, pilot=(1, 10, 1, 10), intercept=0.0)
    assert test.least_slope(0.0) == 0.0
    assert test.least_intercept(1.0) == 0.0
