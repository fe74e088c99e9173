"""Entries of lists that a loop over records adds to, in the float analysis."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject

KINDS = AddRemove(Integer(0, 3), max_size=8, container="list")
HUGE = 1e17 + 16  # beside which floats make 16 of 8


def bounds(mechanism):
    return float_bounds(to_dict(lift(Subject.of(mechanism))), PureDP(1.0), KINDS, "cost")


def counts(data, rng):
    found = [0] * 4
    for x in data:
        found[x] += 1
    return np.array(found, dtype=float) + rng.laplace(size=4)


def counts_by_a_test(data, rng):
    found = [0.0, 0.0]
    for x in data:
        if x < 2:
            found[x] += 0.5
    return [each + rng.laplace() for each in found]


def counts_and_their_total(data, rng):
    found = [0] * 4
    for x in data:
        found[x] += 1
    noisy = [max(0.0, each + rng.laplace()) for each in found]
    return None if sum(noisy) == 0 else noisy


def counts_beside_a_huge_number(data, rng):
    found = [HUGE] * 4
    for x in data:
        found[x] += 8.0
    return [each + rng.laplace(scale=8.0) for each in found]


def entries_that_double(data, rng):
    found = [1.0] * 4
    for x in data:
        found[x] += found[x] + 0.1
    return [each + rng.laplace() for each in found]


def entries_that_feed_each_other(data, rng):
    found = [0.1, 0.1]
    for x in data:
        found[0] += found[1]
        found[1] = found[0] + x
    return [each + rng.laplace() for each in found]


def a_product(data, rng):
    found = [1.1] * 4
    for x in data:
        found[x] *= 1.5
    return [each + rng.laplace() for each in found]


@pytest.mark.parametrize("mechanism", [counts, counts_by_a_test, counts_and_their_total])
def test_counts_in_a_list_are_bounded_by_the_number_of_records(mechanism):
    assert bounds(mechanism).size >= 20


@pytest.mark.parametrize(
    "mechanism",
    [counts_beside_a_huge_number, entries_that_double, entries_that_feed_each_other, a_product],
)
def test_entries_that_floats_lose_or_that_grow_faster_are_refused(mechanism):
    with pytest.raises(Refused):
        bounds(mechanism)


def vectors_of_records(data, rng):
    found = np.zeros(4)
    for x in data:
        vector = np.zeros(4)
        vector[x] = 1
        found += vector
    return found + rng.laplace(size=4)


def encoded(x):
    bits = [0] * 4
    bits[int(x)] = 1
    return bits


def lists_of_records(data, rng):
    found = [0] * 4
    for x in data:
        for at, bit in enumerate(encoded(x)):
            found[at] += bit
    return [each + rng.laplace() for each in found]


def keys_that_occur(data, rng):
    found = {}
    for x in data:
        if x in found:
            found[x] = found[x] + 1
        else:
            found[x] = 1
    return [found.get(x, 0) + rng.laplace() for x in range(4)]


@pytest.mark.parametrize("mechanism", [vectors_of_records, lists_of_records, keys_that_occur])
def test_a_vector_that_each_record_makes_anew_is_none_of_the_sums(mechanism):
    assert bounds(mechanism)


def vector_is_the_sum(data, rng):
    found = vector = np.zeros(4)
    for x in data:
        vector[x] = vector[x] * 2 + 1
        vector = np.zeros(4)
        found += 0.1
    return found + rng.laplace(size=4)


def vector_is_the_sum_at_times(data, rng):
    found = np.zeros(4)
    for x in data:
        vector = np.zeros(4)
        if x > 2:
            vector = found
        vector[x] = vector[x] * 2 + 1
        found += 0.1
    return found + rng.laplace(size=4)


def vector_is_the_sum_later(data, rng):
    found = np.zeros(4)
    for x in data:
        vector = np.zeros(4)
        for _ in range(2):
            vector[x] = vector[x] * 2 + 1
            vector = found
        found += 0.1
    return found + rng.laplace(size=4)


def sum_in_a_new_list(data, rng):
    found = np.zeros(4)
    for x in data:
        holder = [found]
        holder[0][x] = holder[0][x] * 2 + 1
        found += 0.1
    return found + rng.laplace(size=4)


def doubled(vector, x):
    vector[x] = vector[x] * 2 + 1


def vector_of_the_caller(data, rng):
    found = np.zeros(4)
    for x in data:
        vector = np.zeros(4)
        vector[x] = 1
        doubled(found, x)
        found += vector
    return found + rng.laplace(size=4)


def begun_at_a_huge_number(data, rng):
    found = {}
    for x in data:
        found.setdefault(x, HUGE)
        found[x] += 8.0
    return [found.get(x, 0) + rng.laplace(scale=8.0) for x in range(4)]


@pytest.mark.parametrize(
    "mechanism",
    [
        vector_is_the_sum, vector_is_the_sum_at_times, vector_is_the_sum_later,
        sum_in_a_new_list, vector_of_the_caller, begun_at_a_huge_number,
    ],
)  # fmt: skip
def test_a_sum_that_is_changed_by_another_name_is_refused(mechanism):
    with pytest.raises(Refused):
        bounds(mechanism)


def stored_in(dtype):
    def total(data, rng):
        found = np.zeros(1, dtype=dtype)
        found[0] = 0.1 * len(data)
        return float(found[0]) + rng.laplace()

    return total


def test_what_an_array_stores_has_the_precision_of_the_array():
    assert bounds(stored_in(np.float64))
    with pytest.raises(Refused):
        bounds(stored_in(np.float32))
