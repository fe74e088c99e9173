"""Texts of what was chosen are releases; the text of a function has an address and is refused."""

import functools

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP
from tests.proving import is_proved

NAMES = ["a", "b", "c"]
NEIGHBORS = AddRemove(Categorical(NAMES), container="list")


def counts(data, rng):
    return {name: data.count(name) + rng.laplace() for name in NAMES}


class Survey:
    def __init__(self, data, rng):
        self.data, self.rng = data, rng

    def best(self, epsilon):
        scores = np.array([self.data.count(name) for name in NAMES], dtype=float)
        weights = np.exp(epsilon * scores / 2)
        return self.rng.choice(NAMES, p=weights / weights.sum())


def text_of_a_method(data, rng):
    return str(Survey(data, rng).best(1.0))


def text_of_the_largest(data, rng):
    noisy = counts(data, rng)
    return str(max(noisy, key=lambda name: noisy[name]))


def text_of_mapped(data, rng):
    return str(list(map(lambda count: round(count), counts(data, rng).values())))  # noqa: C417


def text_of_a_method_that_costs_more(data, rng):
    return str(Survey(data, rng).best(2.1))


def text_of_a_function(data, rng):
    return str([counts, counts(data, rng)])


def text_of_a_partial(data, rng):
    return str(functools.partial(max, counts(data, rng)))


def text_of_a_function_by_a_key(data, rng):
    return str(dict(key=lambda: counts(data, rng)))  # noqa: C408


def text_of_mapped_functions(data, rng):
    return str(list(map(lambda count: lambda: count, counts(data, rng).values())))


def text_of_a_function_that_was_made(data, rng):
    def made():
        return lambda: counts(data, rng)

    return str(made())


def text_of_a_default(data, rng):
    return str(max(list(counts(data, rng).values()), default=counts))


@pytest.mark.parametrize("mechanism", [text_of_a_method, text_of_the_largest, text_of_mapped])
def test_texts_of_releases_are_proved(mechanism):
    assert is_proved(mechanism, PureDP(1.0), NEIGHBORS)


@pytest.mark.parametrize(
    "mechanism",
    [
        text_of_a_method_that_costs_more,
        text_of_a_function,
        text_of_a_partial,
        text_of_a_function_by_a_key,
        text_of_mapped_functions,
        text_of_a_function_that_was_made,
        text_of_a_default,
    ],
)
def test_texts_with_an_address_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NEIGHBORS)
