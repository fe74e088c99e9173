"""A handler of what one known operation raises is read as a test."""

import math
import statistics

import numpy as np
import pytest

from dpaudit import AddRemove, AnyPair, Categorical, PureDP, Real, Verdict, verify
from tests.proving import is_proved

WORDS = ["a", "b", "c"]
PLACES = {"a": 0, "b": 1, "c": 2}
VALUES = AddRemove(Real(0, 1))


def place_answered(value, rng):
    try:
        place = WORDS.index(value)
    except ValueError:
        place = 0
    if rng.random() < math.e / (math.e + 2):
        return place
    return (place + int(rng.integers(1, 3))) % 3


def place_in_a_dict(value, rng):
    try:
        place = PLACES[value]
    except KeyError:
        return "unknown"
    return place if rng.random() < math.e / (math.e + 2) else (place + int(rng.integers(1, 3))) % 3


def share(data, rng):
    large = [x for x in data if x > 0.5]
    try:
        share = len(large) / len(data)
    except ZeroDivisionError:
        return None
    return share + rng.laplace()


def mean_of_large(data, rng):
    large = [x for x in data if x > 0.5]
    try:
        mean = statistics.mean(large)
    except statistics.StatisticsError:
        return None
    return mean + rng.laplace()


def numpy_divides_without_an_exception(data, rng):
    try:
        mean = np.sum(data) / len(data)
    except ZeroDivisionError:
        mean = 0.0
    return mean + rng.laplace()


def another_divisor(data, rng):
    large = [x for x in data if x > 0.5]
    try:
        mean = sum(large) / (len(data) - len(large))
    except ZeroDivisionError:
        mean = 0.0
    return mean + rng.laplace()


def more_is_caught(data, rng):
    try:
        mean = sum(data) / len(data)
    except ArithmeticError:
        mean = 0.0
    return mean + rng.laplace()


def a_list_of_the_data(data, rng):
    values = list(data)
    try:
        place = values.index(0.5)
    except ValueError:
        place = -1
    return place + rng.laplace()


def an_iterator(data, rng):
    values = (x for x in data)
    try:
        mean = statistics.mean(values)
    except statistics.StatisticsError:
        mean = 0.0
    return mean + rng.laplace()


def another_place_raises(data, rng):
    try:
        place = WORDS.index(WORDS[WORDS.index("d")])
    except ValueError:
        place = 0
    return place + len(data) + rng.laplace()


@pytest.mark.parametrize("mechanism", [place_answered, place_in_a_dict])
def test_a_place_that_is_looked_up_is_a_test_whether_it_is_there(mechanism):
    claim, values = PureDP(np.nextafter(1.0, 2)), AnyPair(Categorical(["a", "b", "c"]))
    assert verify(mechanism, claim, values).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("mechanism", [share, mean_of_large])
def test_a_handler_that_shows_empty_data_is_refuted(mechanism):
    assert verify(mechanism, PureDP(1.0), VALUES).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "mechanism",
    [
        numpy_divides_without_an_exception,
        another_divisor,
        more_is_caught,
        a_list_of_the_data,
        an_iterator,
    ],
)
def test_a_handler_of_what_private_data_raises_is_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(np.nextafter(1.0, 2)), VALUES)


def test_an_exception_that_known_words_raise_is_post_processing():
    assert is_proved(another_place_raises, PureDP(np.nextafter(1.0, 2)), VALUES)
