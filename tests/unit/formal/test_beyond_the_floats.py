"""What may raise an exception for a float that is too large is refused, though nobody uses it."""

import math

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from tests.proving import is_proved

VALUES = AddRemove(Real(0, 1))


def exponential(data, rng):
    math.exp(1000 * len(data))
    return 5


def exponential_of_a_sum(data, rng):
    [math.exp(sum(min(max(x, 0.0), 1.0) for x in data)) * 1.0]
    return 5


def power(data, rng):
    (1e200 * len(data)) ** 2
    return 5


def power_of_each(data, rng):
    [(1e200 * x) ** 2 for x in data]
    return 5


def integer(data, rng):
    int(len(data) * 1e308 * 10)
    return 5


def integer_of_a_bound_of_what_is_no_number(data, rng):
    huge = len(data) * 1e200 * 1e200
    int(min(max(huge - huge, 0.0), 1.0))
    return 5


def floor_of_each(data, rng):
    for x in data:
        math.floor(x * 1e200 * 1e200)
    return 5


def rounded(data, rng):
    round(len(data) * 1e200 * 1e200)
    return 5


def sine(data, rng):
    math.sin(len(data) * 1e308 * 10)
    return 5


def exact_sum(data, rng):
    math.fsum([1e308 * len(data), 1e308 * len(data)])
    return 5


BROKEN = [
    exponential, exponential_of_a_sum, power, power_of_each, integer,
    integer_of_a_bound_of_what_is_no_number, floor_of_each, rounded, sine, exact_sum,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", BROKEN)
def test_what_may_raise_an_exception_is_refused(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), VALUES)


def bounded_exponential(data, rng):
    math.exp(min(len(data), 10))
    return 5


def choice_by_exponentials(data, rng):
    scores = [sum(1 for x in data if x > 0.5), sum(1 for x in data if x > 0.7)]
    weights = [math.exp(min(score, 50) / 2) for score in scores]
    total = sum(weights)
    return int(rng.choice(2, p=[w / total for w in weights]))


def integer_of_a_sum(data, rng):
    int(np.sum(np.clip(data, 0, 1)))
    return 5


@pytest.mark.parametrize(
    "mechanism", [bounded_exponential, choice_by_exponentials, integer_of_a_sum]
)
def test_what_floats_hold_is_proved(mechanism):
    assert is_proved(mechanism, PureDP(1.0), VALUES)
