"""Whole numbers in few bits wrap round, which arithmetic of real numbers does not."""

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, ReplaceOne
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

numbers = AddRemove(Integer(0, 100))


def parts_of_two_types(data, rng):
    wrapped, whole = data.astype(np.int8) * np.int8(2), data * 2
    parts = np.array([len(data[wrapped == -56]), len(data[whole == 200])])  # 100 is in both
    return parts + rng.laplace(scale=1.0, size=2)


def parts_below_zero(data, rng):
    wrapped, whole = data.astype(np.uint8) - np.uint8(1), data - 1
    parts = np.array([len(data[wrapped == 255]), len(data[whole == -1])])  # 0 is in both
    return parts + rng.laplace(scale=1.0, size=2)


def parts_of_tests_added_up(data, rng):
    few, many = data > 3, data > 5
    parts = np.array([
        len(data[(few + many) == 1]),  # either
        len(data[(few.astype(int) + many.astype(int)) == 2]),  # both
    ])  # fmt: skip
    return parts + rng.laplace(scale=1.0, size=2)


def difference_of_two_types(data, rng):
    wrapped, whole = np.sum(data.astype(np.int8) * np.int8(2)), np.sum(data * 2)
    return wrapped - whole + rng.laplace(scale=1.0)


def mean_of_a_sum_that_wraps(data, rng):
    return data.sum(dtype=np.int8) / max(1, len(data)) + rng.laplace(scale=100.0)


def twice_the_largest(data, rng):
    return np.max(data.astype(np.int8), initial=0) * 2 + rng.laplace(scale=200.0)


def python_sum(data, rng):
    return sum(data.astype(np.int8)) + rng.laplace(scale=100.0)


def product_in_eight_bits(data, rng):
    few = np.clip(data, 0, 10).astype(np.int8)
    return few @ few + rng.laplace(scale=100.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        parts_of_two_types,
        parts_below_zero,
        parts_of_tests_added_up,
        difference_of_two_types,
        mean_of_a_sum_that_wraps,
        twice_the_largest,
        python_sum,
        product_in_eight_bits,
    ],
)
def test_what_wraps_round_is_not_taken_for_what_does_not(mechanism):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(mechanism), PureDP(1.0), numbers)


def first_doubled(data, rng):
    return data.astype(np.int8)[0] * 2 + rng.laplace(scale=200.0)


def test_a_scalar_of_eight_bits_is_not_computed_with():
    with pytest.raises(Unsupported, match="a conversion of "):
        prove_by_cost(lift(first_doubled), PureDP(1.0), ReplaceOne(Integer(0, 100), size=3))


def scale_that_wrapped(data, rng):
    return len(data) + rng.laplace(scale=(np.uint8(200) + np.uint8(100)) / 300)


def count_times_a_small_constant(data, rng):
    return len(data) * np.int32(1) + rng.laplace(scale=1.0)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_constants_of_few_bits_are_those_of_numpy():
    assert scale_that_wrapped([], Scales()) == 44 / 300
    with pytest.raises(Unsupported):
        prove_by_cost(lift(scale_that_wrapped), PureDP(1.0), numbers)
    with pytest.raises(Unsupported):
        prove_by_cost(lift(count_times_a_small_constant), PureDP(1.0), numbers)


class Scales:
    def laplace(self, scale):
        return scale
