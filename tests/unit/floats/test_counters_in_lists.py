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
