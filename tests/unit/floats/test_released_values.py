"""Released values and functions with arguments of their own in the float analysis."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, ReplaceOne
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject
from tests.proving import is_proved

AGES = ReplaceOne(Integer(0, 99), size=10)
HUNDRED = AddRemove(Real(0, 100), max_size=10)
EDGES = np.array([0, 18, 30, 45, 65, 100])
LEVELS = (80, 60, 40, 20)
HUGE = 1e17  # beside which floats lose a record


def bounds(mechanism, neighbors):
    return float_bounds(to_dict(lift(Subject.of(mechanism))), PureDP(1.0), neighbors, "cost")


def histogram(ages, scale, rng):
    counts, _ = np.histogram(ages, bins=EDGES)
    return counts + rng.laplace(0.0, scale, size=len(counts))


def shares_or_uniform(ages, rng):
    positive = np.maximum(histogram(ages, 2.0, rng), 0)
    total = positive.sum()
    if total == 0:
        return np.full(len(positive), 1 / len(positive))
    return positive / total


def shares_of_listed_counts(ages, rng):
    noisy = [int(np.sum((ages >= low) & (ages < low + 20))) for low in range(0, 100, 20)]
    noisy = [max(0.0, count + rng.laplace(0, 2.0)) for count in noisy]
    total = sum(noisy)
    return [1 / 5] * 5 if total == 0 else [count / total for count in noisy]


def shares_where_some_are_positive(ages, rng):
    noisy = np.maximum(histogram(ages, 2.0, rng), 0)
    if noisy.sum() != 0:
        noisy = noisy / noisy.sum()
    return np.cumsum(noisy)


def shares_of_half_the_noise(ages, rng):
    positive = np.maximum(histogram(ages, 1.0, rng), 0)
    total = positive.sum()
    return positive if total == 0 else positive / total


def first_above(data, queries, threshold, epsilon, rng):
    noisy_threshold = threshold + rng.laplace(scale=2 / epsilon)
    for query in queries:
        if query(data) + rng.laplace(scale=4 / epsilon) >= noisy_threshold:
            yield True
            return
        yield False


def sparse_vector_of_lambdas(data, rng):
    queries = [lambda d, level=level: int(np.sum(d > level)) for level in LEVELS]
    return list(first_above(data, queries, 5, 1.0, rng))


def sparse_vector_of_a_quarter_of_the_noise(data, rng):
    queries = [lambda d, level=level: int(np.sum(d > level)) for level in LEVELS]
    return list(first_above(data, queries, 5, 4.0, rng))


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (shares_or_uniform, AGES),
        (shares_of_listed_counts, AGES),
        (shares_where_some_are_positive, AGES),
        (sparse_vector_of_lambdas, HUNDRED),
    ],
)
def test_what_is_computed_of_released_values_keeps_the_proof(mechanism, neighbors):
    assert is_proved(mechanism, PureDP(1 + 1e-9), neighbors)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(shares_of_half_the_noise, AGES), (sparse_vector_of_a_quarter_of_the_noise, HUNDRED)],
)
def test_too_little_noise_is_no_proof(mechanism, neighbors):
    assert not is_proved(mechanism, PureDP(1 + 1e-9), neighbors)


def noise_equal_to_a_number(data, rng):
    if rng.laplace() == 0.5:
        return 1.0
    return data.sum() + rng.laplace(scale=100.0)


def noise_equal_to_a_record(data, rng):
    noise = rng.laplace()
    return 1.0 if len(data) and noise == data[0] else 0.0


def released_less_a_record(data, rng):
    noisy = data.sum() + rng.laplace(scale=100.0)
    return 1.0 if noisy - data.sum() == 0 else 0.0


def uniform_lost_beside_one(data, rng):
    return data.sum() if 1.0 + 1e-16 * rng.random() == 1.0 else 0.0


def _with_a_shift(data, shift, rng):
    query = lambda d, shift=shift: (d.sum() + shift) - shift  # noqa: E731 - as people write it
    return query(data) + rng.laplace(scale=100.0)


def sum_beside_a_large_default(data, rng):
    return _with_a_shift(data, HUGE, rng)


def sum_beside_one_of_several_defaults(data, rng):
    queries = [lambda d, shift=shift: (d.sum() + shift) - shift for shift in (0.0, HUGE)]
    return [query(data) + rng.laplace(scale=200.0) for query in queries]


def sum_beside_an_array_that_changes(data, rng):
    shift = np.zeros(1)
    query = lambda d, shift=shift: (d.sum() + shift[0]) - shift[0]  # noqa: E731
    shift[0] = HUGE
    return query(data) + rng.laplace(scale=100.0)


def sum_beside_a_list_that_changes(data, rng):
    shift = [0.0]
    query = lambda d, shift=shift: (d.sum() + shift[0]) - shift[0]  # noqa: E731
    if len(LEVELS) > 3:
        shift[0] = HUGE
    return query(data) + rng.laplace(scale=100.0)


def sum_beside_what_a_loop_made_before(data, rng):
    shift, found = 0.0, 0.0
    query = lambda d, shift=shift: (d.sum() + shift) - shift  # noqa: E731
    for _ in range(5_000):
        found = query(data)
        shift += 1e14
        query = lambda d, shift=shift: (d.sum() + shift) - shift  # noqa: E731
    return found + rng.laplace(scale=100.0)


def sum_beside_a_partial_argument(data, rng):
    def shifted(d, shift):
        return (d.sum() + shift) - shift

    return functools.partial(shifted, shift=HUGE)(data) + rng.laplace(scale=100.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        noise_equal_to_a_number,
        noise_equal_to_a_record,
        released_less_a_record,
        uniform_lost_beside_one,
        sum_beside_a_large_default,
        sum_beside_one_of_several_defaults,
        sum_beside_an_array_that_changes,
        sum_beside_a_list_that_changes,
        sum_beside_what_a_loop_made_before,
        sum_beside_a_partial_argument,
    ],
)
def test_what_floats_lose_before_the_release_is_refused(mechanism):
    with pytest.raises(Refused):
        bounds(mechanism, HUNDRED)


def test_a_small_default_argument_is_exact_enough():
    def small(data, rng):
        return _with_a_shift(data, 1.0, rng)

    assert bounds(small, HUNDRED).size >= 20
