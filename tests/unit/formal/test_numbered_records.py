"""Records that `enumerate` numbers from another start than 0: the number is no place of theirs."""

import math

import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, ReplaceOne
from tests.proving import is_proved

ONE = PureDP(1.0)
ANY = AddRemove(Real(0, 1), max_size=6)
THREE = ReplaceOne(Real(0, 1), size=3)
BITS = ReplaceOne(Integer(0, 1), size=8, container="list")


def summed(data, rng):
    total = 0.0
    for _number, value in enumerate(data, start=1):
        total += value
    return total + rng.laplace()


def scale_of_the_number(data, rng):
    return [x + rng.laplace(scale=1.0 if n > 0 else 0.1) for n, x in enumerate(data, 1)]


def lowest_set_bit(number):
    level = 0
    while number % 2 == 0:
        number //= 2
        level += 1
    return level


def binary_mechanism(stream, rng, levels=None):
    levels = int(math.log2(len(stream))) + 1 if levels is None else levels
    exact, noisy, answers = [0] * 4, [0.0] * 4, []
    for t, bit in enumerate(stream, start=1):
        i = lowest_set_bit(t)
        exact[i] = sum(exact[:i]) + bit
        for j in range(i):
            exact[j] = 0
            noisy[j] = 0.0
        noisy[i] = exact[i] + rng.laplace(scale=levels)
        answers.append(sum(noisy[j] for j in range(4) if (t >> j) & 1))
    return answers


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(summed, ANY), (scale_of_the_number, THREE), (binary_mechanism, BITS)],
)
def test_the_numbers_begin_at_the_start(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)


def scale_of_the_last(data, rng):
    return [x + rng.laplace(scale=1.0 if n < 3 else 0.1) for n, x in enumerate(data, 1)]


def scale_of_the_first(data, rng):
    return [x + rng.laplace(scale=1.0 if n > 5 else 0.1) for n, x in enumerate(data, start=5)]


def neighbor_by_the_number(data, rng):
    total = 0.0
    for number, value in enumerate(data, -1):
        total += value * data[number]
    return total + rng.laplace()


def binary_mechanism_too_loud(stream, rng):
    return binary_mechanism(stream, rng, 3)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (scale_of_the_last, THREE),
        (scale_of_the_first, THREE),
        (neighbor_by_the_number, ANY),
        (binary_mechanism_too_loud, BITS),
    ],
)
def test_a_number_is_not_taken_for_the_place(mechanism, neighbors):
    """Noise that is too small at one number, another record by it, and levels of too little."""
    assert not is_proved(mechanism, ONE, neighbors)
