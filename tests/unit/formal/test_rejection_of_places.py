"""Loops that draw until another value comes, from a list that an object or a caller holds."""

import math
import random

import numpy as np
import pytest

from dpaudit import AnyPair, Categorical, Integer, PureDP, verify
from dpaudit.evidence import Verdict

NAMES = AnyPair(Categorical(["a", "b", "c", "d"]))
DIGITS = AnyPair(Integer(0, 3))


class Response:
    def __init__(self, values, epsilon):
        self.values = list(values)
        self.keep = math.exp(epsilon) / (math.exp(epsilon) + len(self.values) - 1)

    def answer(self, x):
        if random.random() < self.keep:
            return x
        y = random.choice(self.values)
        while y == x:
            y = random.choice(self.values)
        return y

    def answer_without_some(self, x):
        if random.random() < self.keep:
            return x
        y = random.choice(self.values)
        while y == x or y == "d":
            y = random.choice(self.values)
        return y


def from_an_object(x):
    return Response(["a", "b", "c", "d"], 1.0).answer(x)


def of_too_few(x):
    return Response(["a", "b"], 1.0).answer(x)


def kept_too_often(x):
    return Response(["a", "b", "c", "d"], 1.3).answer(x)


def without_some(x):
    return Response(["a", "b", "c", "d"], 1.0).answer_without_some(x)


def below(x, k, epsilon):
    y = x
    if random.random() > math.exp(epsilon) / (math.exp(epsilon) + k - 1):
        while y == x:
            y = np.random.randint(0, k)  # noqa: NPY002
    return y


def below_a_parameter(x):
    return below(x, 4, 1.0)


def below_a_parameter_that_is_too_small(x):
    return below(x, 3, 1.0)


def chosen(x, k):
    y = x
    if random.random() > math.e / (math.e + 3):
        while y == x:
            y = np.random.choice(k)  # noqa: NPY002
    return int(y)


def chosen_below_a_number(x):
    return chosen(x, 4)


def chosen_from_a_list(x):
    return chosen(x, [0, 1, 2, 3])


def chosen_from_part_of_it(x):
    return chosen(x, [0, 1, 2])


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (from_an_object, NAMES),
        (below_a_parameter, DIGITS),
        (chosen_below_a_number, DIGITS),
        (chosen_from_a_list, DIGITS),
    ],
)
def test_the_draw_that_passes_is_read_off(mechanism, neighbors):
    report = verify(mechanism, PureDP(1.0), neighbors, progress=False)
    assert report.verdict is Verdict.VERIFIED, report.summary()


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (of_too_few, NAMES),
        (kept_too_often, NAMES),
        (without_some, NAMES),
        (below_a_parameter_that_is_too_small, DIGITS),
        (chosen_from_part_of_it, DIGITS),
    ],
)
def test_values_that_cannot_come_are_refuted(mechanism, neighbors):
    report = verify(mechanism, PureDP(1.0), neighbors, progress=False)
    assert report.verdict is Verdict.REFUTED, report.summary()
