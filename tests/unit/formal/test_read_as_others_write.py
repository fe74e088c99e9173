"""Ways in which others write what is known: sorted records, namespaces, seeds, base-two rounds."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from dpaudit import PureDP, Real, ReplaceOne
from tests.proving import is_proved
from tests.sweeps import thinned

UNIT = ReplaceOne(Real(0, 1), size=4)


def counted_in_order(data, rng):
    ordered = sorted(float(x) for x in data)
    inside = sum(1 for x in ordered if 0.2 <= x <= 0.7)
    return inside / len(ordered) + rng.laplace(0, 1 / 4)


def bisected(data, rng):
    ordered, low, high = sorted(data), 0.0, 1.0
    steps = int(np.ceil(np.log2((high - low) / 0.3)))
    for _ in range(steps):
        middle = (low + high) / 2
        below = len([x for x in ordered if x <= middle]) + rng.laplace(0, steps)
        low, high = (middle, high) if below < 2 else (low, middle)
    return low


def with_settings(data, rng):
    settings = SimpleNamespace(epsilon=0.5, rounds=2)
    settings.scale = 1 / settings.epsilon
    return [sum(data) + rng.laplace(0, settings.scale) for _ in range(settings.rounds)]


def seeds_what_is_not_drawn_from(data, rng):
    random.seed(7)
    return sum(data) + rng.laplace(0, 1)


def rounds_of_a_logarithm(data, rng):
    rounds = int(math.log(100))
    return [sum(data) + rng.laplace(0, rounds) for _ in range(rounds)]


def some_in_order(data, rng):
    return sum([2 * x for x in sorted(data)][:2]) + rng.laplace(0, 1)


def weighted_in_order(data, rng):
    ordered = [1.0 * x for x in sorted(data)]
    return sum(w * x for w, x in zip([1, -1, 1, -1], ordered, strict=True)) + rng.laplace(0, 0.9)


def put_away_in_order(data, rng):
    kept = []
    sum((kept.append(x) or 0) for x in sorted(data))
    return kept[0] - kept[1] + kept[2] + rng.laplace(0, 0.9)


def one_step_too_many(data, rng):
    steps = int(np.ceil(np.log2(9)))
    return [sum(data) + rng.laplace(0, 3) for _ in range(steps)]


def overspent_settings(data, rng):
    settings = SimpleNamespace(scale=2.0)
    settings.scale = 1.0
    return [sum(data) + rng.laplace(0, settings.scale) for _ in range(2)]


def seeds_what_it_draws_from(data):
    random.seed(7)
    return sum(data) + random.expovariate(1) - random.expovariate(1)


def seeds_afterwards(data):
    noise = random.expovariate(1) - random.expovariate(1)
    random.seed(7)
    return sum(data) + noise


def seeds_with_the_data(data, rng):
    total = len([x for x in data if x > 0.5])
    random.seed(total)
    return total + rng.laplace(0, 1)


def rounds_of_a_logarithm_that_is_nearly_whole(data, rng):
    rounds = int(math.log(8) / math.log(2))
    return [sum(data) + rng.laplace(0, 3) for _ in range(rounds)]


def _noise(u, sign):
    return -sign * math.log(1 - u)


def drawn_until_no_end(data, rng):
    u = 0.0
    while u == 0.0 or u == 1.0:
        u = rng.random()
    return data.sum() + _noise(u, 1 if rng.random() < 0.5 else -1)


def drawn_until_within(data, rng):
    def inside():
        while True:
            u = rng.random()
            if 0 < u < 1:
                return u

    return data.sum() + _noise(inside(), 1 if rng.random() < 0.5 else -1)


def drawn_again_at_the_ends(data, rng):
    u = rng.uniform(-0.5, 0.5)
    while u <= -0.5 or not u < 0.5:
        u = rng.uniform(-0.5, 0.5)
    return data.sum() - np.sign(u) * math.log(1 - 2 * abs(u))


def drawn_until_large(data, rng):
    u = 0.0
    while u <= 0.5:
        u = rng.random()
    return data.sum() + _noise(u, 1 if rng.random() < 0.5 else -1)


def drawn_until_inside(data, rng):
    while True:
        u = rng.random()
        if u > 0.9:
            break
    return data.sum() + _noise(u, 1 if rng.random() < 0.5 else -1)


def never_drawn(data, rng):
    u = 0.0
    while u != 0.0:
        u = rng.random()
    return data.sum() + _noise(u, 1 if rng.random() < 0.5 else -1)


def drawn_for_some_data(data, rng):
    u = 0.5
    while u == 0.0 or (len(data) == 3 and u == 0.5):
        u = rng.random()
    return data.sum() + _noise(u, 1 if rng.random() < 0.5 else -1)


def _validate_epsilon(epsilon):
    if not isinstance(epsilon, (int, float)) or epsilon <= 0 or math.isnan(epsilon):
        raise ValueError(f"epsilon must be positive, got {epsilon!r}")


def validated_in_a_function(data, rng):
    _validate_epsilon(1.0)
    return data.sum() + rng.laplace()


def validated_with_the_data(data, rng):
    _validate_epsilon(float(data[0]))
    return data.sum() + rng.laplace()


def validated_for_each(data, rng):
    def positive(x):
        if x > 0.5:
            raise ValueError
        return x

    return sum([positive(x) for x in data]) + rng.laplace()


SOUND = [
    drawn_until_no_end,
    drawn_until_within,
    drawn_again_at_the_ends,
    validated_in_a_function,
    counted_in_order,
    bisected,
    with_settings,
    seeds_what_is_not_drawn_from,
    rounds_of_a_logarithm,
]
BROKEN = [
    drawn_until_large,
    drawn_until_inside,
    never_drawn,
    drawn_for_some_data,
    validated_with_the_data,
    validated_for_each,
    some_in_order,
    weighted_in_order,
    put_away_in_order,
    one_step_too_many,
    overspent_settings,
    seeds_what_it_draws_from,
    seeds_afterwards,
    seeds_with_the_data,
    rounds_of_a_logarithm_that_is_nearly_whole,
]


@pytest.mark.parametrize("mechanism", SOUND)
def test_it_is_read(mechanism):
    assert is_proved(mechanism, PureDP(1.0), UNIT)


@pytest.mark.parametrize("mechanism", thinned(BROKEN))
def test_what_only_looks_like_it_is_refused(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), UNIT)
