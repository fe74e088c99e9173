"""What floats make 0 or infinite, or move across an end, decides no test that a proof decides."""

import math
import sys

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, Row
from dpaudit.checker.rounding import is_torn
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

CLAIM = PureDP(1.0)
OTHER = 49 * (1 / 49)  # less than 1 in floats


def records(low, high, **options):
    row = Row(d=Integer(0, 1000), x=Real(low, high))
    return AddRemove(row, max_size=40, **options)


def listed(low, high):
    return records(low, high, container="list")


LARGE, LARGE_LISTED = records(0, 1e308), listed(0, 1e308)
TINY, TINY_LISTED = records(1e-300, 1), listed(1e-300, 1)
SMALL, SMALL_LISTED = records(1e-80, 1), listed(1e-80, 1)
UNIT, UNIT_LISTED = records(0, 1), listed(0, 1)
LATE, LATE_LISTED = records(0.3, 1), listed(0.3, 1)
HUGE = AddRemove(Integer(0, 2**70), max_size=4, container="list")


def is_proved(mechanism, neighbors):
    try:
        program = lift(mechanism)
        prove_by_cost(program, CLAIM, neighbors)
        float_bounds(to_dict(program), CLAIM, neighbors, "cost")
    except (Unsupported, Refused):
        return False
    return True


def finite_product(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(np.isfinite(x * 10), 0, 5).sum() + rng.laplace(0, 1)


def finite_product_in_a_loop(data, rng):
    total = 0
    for v in data:
        if v["d"] == 777:
            if math.isfinite(v["x"] * 10):
                total += 1
            else:
                total += 5
    return total + rng.laplace(0, 1)


def nan_difference(data, rng):
    x = data["x"][data["d"] == 777]
    y = x * 10
    return (5 * np.isnan(y - y)).sum() + rng.laplace(0, 1)


def nan_difference_in_a_loop(data, rng):
    total = 0
    for v in data:
        w = v["x"] * 10 - v["x"] * 10
        if v["d"] == 777 and math.isnan(w):
            total += 5
    return total + rng.laplace(0, 1)


def infinite_product(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(np.isinf(x * 10), 5, 0).sum() + rng.laplace(0, 1)


def masked_then_doubled(data, rng):
    x = data["x"][np.isfinite(data["x"])]
    return np.where(np.isfinite(x * 2), 0, 5).sum() + rng.laplace(0, 1)


def finite_power(data, rng):
    x = data["x"][data["d"] == 777]
    return 5 * len(x[~np.isfinite(x**2)]) + rng.laplace(0, 1)


def square_above_zero(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(x * x > 0, 0, 5).sum() + rng.laplace(0, 1)


def square_above_zero_in_a_loop(data, rng):
    total = 0
    for v in data:
        if v["d"] == 777 and v["x"] * v["x"] <= 0:
            total += 5
    return total + rng.laplace(0, 1)


def square_is_zero(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(x * x == 0, 5, 0).sum() + rng.laplace(0, 1)


def count_of_squares(data, rng):
    x = data["x"][data["d"] == 777]
    return 5 * np.count_nonzero(x * x) - 5 * len(x) + rng.laplace(0, 1)


def sign_of_squares(data, rng):
    x = data["x"][data["d"] == 777]
    return 5 * np.sign(x * x).sum() - 5 * len(x) + rng.laplace(0, 1)


def lost_and_back(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where((x * 1e-280) * 1e280 > 0, 0, 5).sum() + rng.laplace(0, 1)


def lost_and_back_in_a_loop(data, rng):
    total = 0
    for v in data:
        if v["d"] == 777 and (v["x"] * 1e-280) * 1e280 <= 0:
            total += 5
    return total + rng.laplace(0, 1)


def lost_digits_and_back(data, rng):
    x = data["x"][data["d"] == 777]
    y = x * 1e-160 * 1e-160 * 1e160 * 1e160
    return np.where(y > 0, 0, 5).sum() + rng.laplace(0, 1)


def touches(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(x / 49 * 49 * 1.1 / 1.1 <= 1, 0, 5).sum() + rng.laplace(0, 1)


def touches_in_a_loop(data, rng):
    total = 0
    for v in data:
        if v["d"] == 777 and not (v["x"] / 49 * 49 * 1.1 / 1.1 <= 1):
            total += 5
    return total + rng.laplace(0, 1)


def constant_that_floats_lower(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(x <= 49 * (1 / 49), 0, 5).sum() + rng.laplace(0, 1)


def constant_that_floats_lower_in_a_loop(data, rng):
    total = 0
    for v in data:
        if v["d"] == 777 and v["x"] > 49 * (1 / 49):
            total += 5
    return total + rng.laplace(0, 1)


def hardly_above(data, rng):
    x = data["x"][data["d"] == 777]
    return np.where(0.1 * x - 0.03 > 0, 0, 5).sum() + rng.laplace(0, 1)


def hardly_above_in_a_loop(data, rng):
    total = 0
    for v in data:
        if v["d"] == 777 and not (0.1 * v["x"] - 0.03 > 0):
            total += 5
    return total + rng.laplace(0, 1)


def finite_integers(data, rng):
    return len([v for v in data if math.isfinite(v)]) + rng.laplace(0, 1)


def integers_not_nan(data, rng):
    return len([v for v in data if not math.isnan(v)]) + rng.laplace(0, 1)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (finite_product, LARGE),
        (finite_product_in_a_loop, LARGE_LISTED),
        (nan_difference, LARGE),
        (nan_difference_in_a_loop, LARGE_LISTED),
        (infinite_product, LARGE),
        (masked_then_doubled, LARGE),
        (finite_power, LARGE),
        (square_above_zero, TINY),
        (square_above_zero_in_a_loop, TINY_LISTED),
        (square_is_zero, TINY),
        (count_of_squares, TINY),
        (sign_of_squares, TINY),
        (lost_and_back, SMALL),
        (lost_and_back_in_a_loop, SMALL_LISTED),
        (lost_digits_and_back, records(1e-5, 1)),
        (touches, UNIT),
        (touches_in_a_loop, UNIT_LISTED),
        (constant_that_floats_lower, UNIT),
        (constant_that_floats_lower_in_a_loop, UNIT_LISTED),
        (hardly_above, LATE),
        (hardly_above_in_a_loop, LATE_LISTED),
        (finite_integers, HUGE),
        (integers_not_nan, HUGE),
    ],
)
def test_what_floats_decide_otherwise_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, neighbors)


def finite_records(data, rng):
    return np.isfinite(data["x"]).sum() + rng.laplace(0, 1)


def finite_records_in_a_loop(data, rng):
    return len([v for v in data if math.isfinite(v["x"])]) + rng.laplace(0, 1)


def finite_clipped(data, rng):
    x = np.clip(data["x"], 0, 5)
    return x[np.isfinite(x)].sum() + rng.laplace(0, 5)


def finite_doubled(data, rng):
    x = data["x"] * 2
    return x[~np.isnan(x)].sum() + rng.laplace(0, 2)


def compared_squares(data, rng):
    x = data["x"]
    return np.where(x * x > 0, 1, 5).sum() + rng.laplace(0, 1)


def bins(data, rng):
    y = data["x"] / 3
    a, b = ((y >= 0) & (y < 0.1)).sum(), ((y >= 0.1) & (y < 0.2)).sum()
    return a + rng.laplace(0, 1), b + rng.laplace(0, 1), (y >= 0.2).sum() + rng.laplace(0, 1)


def clipped_and_validated(data, rng):
    total = 0
    for v in data:
        x = min(max(v["x"] * 2, 0), 1)
        total += x if 0 <= x <= 1 else 5
    return total + rng.laplace(0, 1)


def validated(data, rng):
    total = 0
    for v in data:
        x = v["x"]
        total += x if 0 <= x <= 1 else 5
    return total + rng.laplace(0, 1)


def above_half(data, rng):
    return len([v for v in data if v["x"] * 3 > 0.5]) + rng.laplace(0, 1)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (finite_records, LARGE),
        (finite_records_in_a_loop, LARGE_LISTED),
        (finite_clipped, LARGE),
        (finite_doubled, UNIT),
        (compared_squares, LATE),
        (bins, UNIT),
        (clipped_and_validated, UNIT_LISTED),
        (validated, UNIT_LISTED),
        (above_half, UNIT_LISTED),
    ],
)
def test_what_floats_decide_alike_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, neighbors)


def test_floats_take_tiny_numbers_for_0_and_huge_ones_for_infinite():
    from dpaudit.checker.exact.numbers import number

    tiny, huge = number(2) ** -400, number(2) ** 1100
    assert is_torn(0, tiny)
    assert is_torn(-tiny, tiny)
    assert is_torn(huge, huge * 2)
    assert not is_torn(-huge, huge)
    assert not is_torn(tiny, tiny)
    assert not is_torn(0, sys.float_info.epsilon)


def test_programs_do_what_the_texts_say():
    assert OTHER < 1
    assert 0.1 * 0.3 - 0.03 == 0
    assert 1e-300 * 1e-300 == 0
    assert 1e-80 * 1e-280 == 0
