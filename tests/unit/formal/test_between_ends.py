"""Runs at both ends of what a way says of a draw tell nothing of what is between, in general."""

import pytest

from dpaudit import Categorical, PureDP, ReplaceOne
from tests.proving import is_proved

BIT = ReplaceOne(Categorical([0, 1]), size=1)


def rounding_of_a_draw(data, rng):
    u, v = rng.random(), rng.random()
    rounded = abs((u + 2.0**52) - 2.0**52 - u) > 0.3  # of two fifths of all draws
    return [x if rounded or v < 0.6 else 1 - x for x in data]


def draw_compared_with_itself(data, rng):
    u, v = rng.random(), rng.random()
    rounded = (u + 2.0**52) - 2.0**52
    return [x if rounded > u + 0.3 or v < 0.6 else 1 - x for x in data]


def draw_taken_away_from_its_sum(data, rng):
    u, v = rng.random(), rng.random()
    return [x if (u + 2.0**52) - u > 2.0**52 + 0.3 or v < 0.6 else 1 - x for x in data]


def largest_less_least(data, rng):
    u, v = rng.random(), rng.random()
    both = [u, (u + 2.0**52) - 2.0**52]
    return [x if max(both) - min(both) > 0.3 or v < 0.6 else 1 - x for x in data]


def integer_that_wraps(data, rng):
    k, v = rng.integers(0, 520), rng.random()
    return [x if k * 2**55 < 0 or v < 0.6 else 1 - x for x in data]


def integer_that_wraps_later(data, rng):
    k, v = rng.integers(0, 520), rng.random()
    return [x if k * 2**31 * 2**24 < 0 or v < 0.6 else 1 - x for x in data]


BROKEN = [
    rounding_of_a_draw, draw_compared_with_itself, draw_taken_away_from_its_sum,
    largest_less_least, integer_that_wraps, integer_that_wraps_later,
]  # fmt: skip


@pytest.mark.parametrize("mechanism", BROKEN)
def test_what_only_some_draws_between_do_is_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), BIT)


def one_use_of_each_draw(data, rng):
    u = rng.random()
    return [x if (u - 0.2) * 3 + 0.5 < 1.7 else 1 - x for x in data]


def test_what_rises_with_a_draw_is_proved():
    assert is_proved(one_use_of_each_draw, PureDP(1.0), BIT)
