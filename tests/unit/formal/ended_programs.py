"""Generator and async functions as mechanisms: sound ones, and twins that break the claim."""

import asyncio
import copy

import numpy as np

from tests.unit.formal import sequential_programs as sequential
from tests.unit.formal import sequential_twins as twins


class Engine:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, data, *, rng):
        yield len(data) + rng.laplace(scale=self.scale)

    async def count(self, data, rng):
        return len(data) + rng.laplace(scale=self.scale)


def validated(data, rng, epsilon=0.5):
    if epsilon <= 0:
        raise ValueError("epsilon must be positive")
    for low in (0, 5):
        yield np.sum(data >= low) + rng.laplace(scale=1 / epsilon)


def late(data, rng):
    left = 1.0
    while left >= 0.25:
        left -= 0.25
        yield len(data) + rng.laplace(scale=4)


def histogram(data, rng):
    yield np.bincount(data, minlength=11) + rng.laplace(size=11)


def released_twice(data, rng):
    counts = [len(data) + rng.laplace()]
    yield counts
    counts[0] = round(counts[0])
    yield counts


def summed_up(data, rng):
    count = len(data) + rng.laplace(scale=2)
    yield count
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=10)


def logged(data, rng):
    count = len(data) + rng.laplace()
    print(count)
    yield round(count)


async def alone(data, rng):
    return len(data) + rng.laplace()


async def asked_of_a_generator(data, rng):
    await asyncio.sleep(0)
    return list(sequential.statistics(data, rng))


def twice_the_cost(data, rng):
    yield len(data) + rng.laplace()
    yield len(data) + rng.laplace()


def noised_after_it_left(data, rng):
    counts = np.array([float(len(data))])
    yield counts
    counts += rng.laplace(size=1)


def blanked_after_it_left(data, rng):
    counts = [float(len(data))]
    yield counts
    counts[0] = 0.0


def blanked_within_a_dict(data, rng):
    counts = {"n": [len(data)]}
    yield {"all": counts}
    counts["n"].clear()


def raises_by_a_coin(data, rng):
    yield len(data)
    if rng.random() < 0.5:
        raise ValueError("no luck")


def raises_in_a_helper(data, rng):
    yield len(data)
    fails(rng)


def fails(rng):
    if rng.random() < 0.5:
        raise ValueError("no luck")


def raises_by_itself(data, rng):
    yield len(data)
    yield 1 // 0


def raises_on_data(data, rng):
    yield len(data) + rng.laplace()
    if len(data) > 0:
        raise ValueError("not empty")


def caught_by_itself(data, rng):
    try:
        yield float(len(data))
        raise ValueError
    except ValueError:
        yield 1.0


def returns_the_count(data, rng):
    yield len(data) + rng.laplace()
    return len(data)


def as_many_as_records(data, rng):
    for _ in data:
        yield rng.laplace()


def sent_something(data, rng):
    asked = yield len(data) + rng.laplace()
    yield len(data) if asked is None else 0.0


def copied_with_its_twin(data, rng):
    counts = [0.0]
    both = copy.deepcopy([counts, counts])
    both[0][0] = float(len(data))
    yield both[1][0]


async def too_little(data, rng):
    return len(data) + rng.laplace(scale=0.5)


async def streamed_raw(data, rng):
    yield len(data) + rng.laplace(scale=2)
    await asyncio.sleep(0)
    yield len(data)


SOUND = [
    Engine(1.0), Engine(1.0).count, validated, late, histogram, released_twice, summed_up, logged,
    alone, asked_of_a_generator, sequential.statistics, sequential.report, sequential.by_digit,
    sequential.streamed, *sequential.ASYNC,
]  # fmt: skip
BROKEN = [
    twice_the_cost, noised_after_it_left, blanked_after_it_left, blanked_within_a_dict,
    raises_by_a_coin, raises_in_a_helper, raises_by_itself, raises_on_data, caught_by_itself,
    returns_the_count, as_many_as_records, sent_something, copied_with_its_twin, too_little,
    streamed_raw, *twins.ASYNC,
]  # fmt: skip
