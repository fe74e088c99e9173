"""Noise whose scale was computed from released numbers: its cost is a largest ratio."""

from functools import partial

import numpy as np
import pytest

from dpaudit import GaussianDP, PureDP, Real, ReplaceOne, Row
from dpaudit.checker.cost.ends import INF, ZERO
from dpaudit.checker.cost.relative import Form, ratio
from dpaudit.checker.cost.values import Change, Group, Token, Unknown
from dpaudit.checker.exact.numbers import number
from mechanisms.linear_regression import linear_regression
from tests.checking import check
from tests.unit.checker.forged import forged

ONE = PureDP(1.0)
POINTS = ReplaceOne(Row(x=Real(0, 1), y=Real(0, 1)), size=5)


def _means(data):
    x = np.fmin(np.fmax(data["x"], 0.0), 1.0)
    y = np.fmin(np.fmax(data["y"], 0.0), 1.0)
    return float(x.sum()) / 5, float(y.sum()) / 5


def line(data, rng, *, constant=1.0, slope_part=1.0, factor=1.0, scale=0.4):
    x, y = _means(data)
    slope = x + rng.laplace(scale=0.4)  # half of the budget
    spread = scale * (constant + slope_part * abs(slope))
    return slope, y - factor * (slope * x) + rng.laplace(scale=spread)


def gaussian_line(data, rng, *, scale=0.4):
    x, y = _means(data)
    slope = x + rng.normal(scale=0.4)
    return slope, y - slope * x + rng.normal(scale=scale * (1 + abs(slope)))


def without_absolute(data, rng):
    x, y = _means(data)
    slope = x + rng.laplace(scale=0.4)
    return slope, y - slope * x + rng.laplace(scale=0.4 * (1 + slope))


def of_the_other(data, rng):
    x, y = _means(data)
    slope, other = x + rng.laplace(scale=0.8), y + rng.laplace(scale=0.8)
    return slope, other, y - slope * x + rng.laplace(scale=0.4 * (1 + abs(other)))


def of_the_data(data, rng):
    x, y = _means(data)
    return y + rng.laplace(scale=1 + abs(x))


def divided_untested(data, rng):
    x, y = _means(data)
    one, other = x + rng.laplace(scale=0.8), y + rng.laplace(scale=0.8)
    slope = one / other
    return slope, y - slope * x + rng.laplace(scale=0.4 * (1 + abs(slope)))


def divided_tested(data, rng, *, at=0.0):
    x, y = _means(data)
    one, other = x + rng.laplace(scale=0.8), y + rng.laplace(scale=0.8)
    if other <= at:
        return None
    slope = one / other
    return slope, y - slope * x + rng.laplace(scale=0.4 * (1 + abs(slope)))


def doubtful_before(data, rng):
    x, y = _means(data)
    one, other = x + rng.laplace(scale=0.8), y + rng.laplace(scale=0.8)
    slope = rng.laplace(scale=1.0) + one / other
    return slope, y - slope * x + rng.laplace(scale=0.4 * (1 + abs(slope)))


def twice(data, rng):
    x, y = _means(data)
    slope = x + rng.laplace(scale=0.4)
    noise = rng.laplace(scale=0.4 * (1 + abs(slope)))
    return slope, y - slope * x + noise, x + noise


def test_a_scale_that_follows_what_it_hides_is_paid_once():
    assert check(forged(line, ONE, POINTS)).accepted
    assert check(forged(linear_regression, ONE, POINTS)).accepted
    assert check(forged(divided_tested, ONE, POINTS)).accepted
    assert check(forged(gaussian_line, GaussianDP(0.7072), POINTS)).accepted


@pytest.mark.parametrize(
    "mechanism",
    [
        partial(line, scale=0.39),
        partial(line, factor=2.0),
        partial(line, constant=0.9),
        partial(line, slope_part=0.9),
        partial(line, slope_part=0.0),
        partial(line, constant=0.0),
        partial(line, slope_part=-1.0),
        without_absolute,
        of_the_other,
        of_the_data,
        divided_untested,
        partial(divided_tested, at=-1.0),
        doubtful_before,
        twice,
        partial(linear_regression, epsilon=1.01),
    ],
)
def test_a_scale_that_is_too_small_for_some_released_number_is_not_accepted(mechanism):
    assert not check(forged(mechanism, ONE, POINTS)).accepted


def test_normal_noise_that_is_too_small_is_rejected():
    result = check(forged(partial(gaussian_line, scale=0.39), GaussianDP(0.7072), POINTS))
    assert (result.accepted, result.decided) == (False, True)


@pytest.mark.parametrize("seed", range(20))
def test_no_released_numbers_make_the_ratio_larger(seed):
    rng = np.random.default_rng(seed)
    atoms = [Unknown("float", sure=True) for _ in range(3)]
    scales = rng.integers(1, 9, 4) / 4
    moves = rng.integers(0, 9, 4) / 4
    tokens = {
        Token(Group("alone", -INF, INF, by=a)): number(float(m))
        for a, m in zip(atoms, moves[1:], strict=True)
    }
    change = Change(ZERO, number(float(moves[0])), tokens)
    factors = {a: number(float(k)) for a, k in zip(atoms, scales[1:], strict=True)}
    bound = ratio(change, Form(number(float(scales[0])), factors))
    for _ in range(200):
        sizes = np.array([1.0, *rng.exponential(size=3) * 10.0 ** rng.integers(-3, 4, 3)])
        assert (moves @ sizes) / (scales @ sizes) <= float(bound.fraction) + 1e-12
    assert ratio(change, Form(number(1.0), {atoms[0]: number(1)})) is None or not any(moves[2:])
