"""Private numbers of which the reals have a value, and floats an exception: at one record alone."""

from __future__ import annotations

import math

import pytest

from dpaudit import AddRemove, PureDP, Real
from tests.proving import is_proved
from tests.sweeps import thinned

CLAIM = PureDP(0.25)
UNIT = AddRemove(Real(0, 1), container="list")
VAST = AddRemove(Real(-1e300, 1e300), container="list")


def power_that_overflows(data, rng):
    for x in data:
        (1e200 * x) ** 2
    return rng.laplace(0, 8)


def power_that_overflows_and_is_caught(data, rng):
    total = 0
    try:
        for x in data:
            held = (1e200 * x) ** 2  # noqa: F841
        total = 50
    except OverflowError:
        pass
    return total + rng.laplace(0, 8)


def square_in_a_list(data, rng):
    [x**2 for x in data]
    return rng.laplace(0, 8)


def cube_of_what_has_no_end(data, rng):
    for x in data:
        max(x, 2) ** 3
    return rng.laplace(0, 8)


def floor_of_an_infinity(data, rng):
    for x in data:
        math.floor(x * x)
    return rng.laplace(0, 8)


def divisor_that_rounds_to_zero(data, rng):
    for x in data:
        1 / (1 + 1e-17 - min(1, max(0, x)))
    return rng.laplace(0, 8)


def divisor_that_underflows(data, rng):
    for x in data:
        1 / (1e-200 * min(1, max(1e-200, x)))
    return rng.laplace(0, 8)


def logarithm_of_what_rounds_to_zero(data, rng):
    for x in data:
        math.log(1 + 1e-16 - min(1, max(0, x)))
    return rng.laplace(0, 8)


def logarithm_of_what_underflows(data, rng):
    for x in data:
        math.log(min(1, max(1e-200, x)) / 1e200)
    return rng.laplace(0, 8)


def root_of_what_rounds_below_zero(data, rng):  # the last factor is 1 ulp less than the product
    for x in data:
        product = min(1, max(0, x)) * 0.38372717948106794 * 0.8496221283585603 * 0.18878891023282363
        math.sqrt(0.06154954631471572 - product)
    return rng.laplace(0, 8)


def exponential_of_a_count(data, rng):
    math.exp(len(data))
    return rng.laplace(0, 8)


BROKEN = [
    (exponential_of_a_count, UNIT),
    (power_that_overflows, UNIT), (power_that_overflows_and_is_caught, UNIT),
    (square_in_a_list, VAST), (cube_of_what_has_no_end, VAST), (floor_of_an_infinity, VAST),
    (divisor_that_rounds_to_zero, UNIT), (divisor_that_underflows, UNIT),
    (logarithm_of_what_rounds_to_zero, UNIT), (logarithm_of_what_underflows, UNIT),
    (root_of_what_rounds_below_zero, UNIT),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(BROKEN))
def test_what_raises_in_floats_alone_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, CLAIM, neighbors)


def far_from_zero(data, rng):
    return sum(1 / (min(1.0, max(0.0, x)) + 0.1) for x in data) + rng.laplace(0, 80)


def small_square(data, rng):
    return sum((min(1.0, max(0.0, x)) * 0.3) ** 2 for x in data) + rng.laplace(0, 8)


def logarithm_of_what_is_far_from_zero(data, rng):
    return sum(math.log(min(1.0, max(0.0, x)) + 1) for x in data) + rng.laplace(0, 8)


@pytest.mark.parametrize(
    "mechanism", [far_from_zero, small_square, logarithm_of_what_is_far_from_zero]
)
def test_what_raises_nowhere_is_proved(mechanism):
    assert is_proved(mechanism, CLAIM, UNIT)
