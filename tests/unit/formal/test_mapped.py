"""`map` and `filter` with functions of the user's: the generator expressions that they are."""

# ruff: noqa: C416, C417

from __future__ import annotations

from functools import partial

import pytest

from dpaudit import AddRemove, Integer, PureDP
from dpaudit.formal.clock import now
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

PARTS = AddRemove(Integer(0, 3), max_size=8, container="list")


def is_cheap(mechanism):
    """Return whether there is a proof by cost."""
    try:
        found = prove_by_cost(lift(mechanism), PureDP(1.0), PARTS, deadline=now() + 300)
    except Unsupported:
        return False
    return isinstance(found, CostProof)


def counts(data):
    return [data.count(i) for i in range(4)]


def noisy(count, rng, epsilon=1.0):
    return count + rng.laplace(0, 1 / epsilon)


class Engine:
    def __init__(self, epsilon, rng):
        self.epsilon = epsilon
        self.rng = rng

    def noisy(self, count):
        return count + self.rng.laplace(0, 1 / self.epsilon)


def by_a_lambda(data, rng):
    return list(map(lambda c: c + rng.laplace(0, 1.0), counts(data)))


def by_a_function_inside(data, rng):
    def with_noise(c):
        return c + rng.laplace(0, 1.0)

    return [max(0, v) for v in list(map(with_noise, counts(data)))]


def by_a_function_that_is_kept(data, rng):
    def with_noise(c):
        return c + rng.laplace(0, 1.0)

    each = map(with_noise, counts(data))
    return max(each)


def by_a_partial_function(data, rng):
    return list(map(partial(noisy, rng=rng, epsilon=1.0), counts(data)))


def by_a_method(data, rng):
    engine = Engine(1.0, rng)
    return dict(zip(range(4), map(engine.noisy, counts(data)), strict=True))


def of_several_lists(data, rng):
    noise = rng.laplace(0, 1.0, 4)
    return list(map(lambda c, z: c + z, counts(data), noise))


def of_pairs(data, rng):
    parts = {k: data.count(k) for k in range(4)}
    return dict(map(lambda kv: (kv[0], kv[1] + rng.laplace(0, 1.0)), parts.items()))


def rounded_after_noise(data, rng):
    return list(map(round, map(lambda c: c + rng.laplace(0, 1.0), counts(data))))


def filtered_by_a_function_inside(data, rng):
    def large(x):
        return x > 1

    return len([1 for _ in filter(large, data)]) + rng.laplace(0, 1.0)


SOUND = (
    by_a_lambda, by_a_function_inside, by_a_function_that_is_kept, by_a_partial_function,
    by_a_method, of_several_lists, of_pairs, rounded_after_noise, filtered_by_a_function_inside,
)  # fmt: skip


def with_less_noise(data, rng):
    return list(map(lambda c: c + rng.laplace(0, 0.9), counts(data)))


def by_two_maps(data, rng):
    first = list(map(lambda c: c + rng.laplace(0, 1.0), counts(data)))
    return first, list(map(lambda c: c + rng.laplace(0, 1.0), counts(data)))


def by_the_function_before(data, rng):
    with_noise = lambda c: c  # noqa: E731
    each = map(with_noise, counts(data))
    with_noise = lambda c: c + rng.laplace(0, 1.0)  # noqa: E731
    return list(each), with_noise(0)


def by_the_method_of_the_object_before(data, rng):
    engine = Engine(5.0, rng)
    each = map(engine.noisy, counts(data))
    engine = Engine(1.0, rng)
    return list(each), engine.epsilon


def by_the_argument_before(data, rng):
    epsilon = 5.0
    each = map(partial(noisy, rng=rng, epsilon=epsilon), counts(data))
    epsilon = 1.0
    return list(each), epsilon


def by_the_last_of_several(data, rng):
    each = []
    for scale in (0.1, 1.0):
        with_noise = lambda c, s=scale: c + rng.laplace(0, s)  # noqa: E731
        each.append(map(with_noise, [data.count(0)]))
    return [list(one) for one in each]


def changed_in_the_loop(data, rng):
    with_noise = lambda c: c  # noqa: E731
    found = []
    for v in map(with_noise, counts(data)):
        found.append(v)
        with_noise = lambda c: c + rng.laplace(0, 1.0)  # noqa: E731
    return found, with_noise(0)


def filtered_by_a_variable_of_the_same_name(data, rng):
    x = 1
    return len([x for x in filter(lambda v: v > x, data)]) + rng.laplace(0, 0.9)


def one_noise_for_all(data, rng):
    return list(map(lambda c, z: c + z, counts(data), [rng.laplace(0, 1.0)] * 4))


BROKEN = (
    with_less_noise, by_two_maps, by_the_function_before, by_the_method_of_the_object_before,
    by_the_argument_before, by_the_last_of_several, changed_in_the_loop,
    filtered_by_a_variable_of_the_same_name, one_noise_for_all,
)  # fmt: skip


@pytest.mark.parametrize("mechanism", SOUND, ids=lambda f: f.__name__)
def test_noise_that_map_adds_is_proved(mechanism):
    assert is_cheap(mechanism)


@pytest.mark.parametrize("mechanism", BROKEN, ids=lambda f: f.__name__)
def test_a_twin_that_maps_another_function_is_not_proved(mechanism):
    assert not is_cheap(mechanism)


def test_a_filter_means_its_own_variables():
    """The condition is about the variable around the comprehension, and not about its own."""

    def above(data, rng):
        x = 1
        return len([x for x in filter(lambda v: v > x, data)]) + rng.laplace(0, 1.0)

    assert is_cheap(above)
