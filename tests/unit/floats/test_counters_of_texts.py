"""Sums by keys that are texts of records, in the float analysis."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.subject import Subject

WORDS = AddRemove(Categorical(["a", "b"]), max_size=8, container="list")
HUGE = 1e17 + 16  # beside which floats make 16 of 8


def bounds(mechanism):
    return float_bounds(to_dict(lift(Subject.of(mechanism))), PureDP(1.0), WORDS, "cost")


def counts(data, rng):
    found = {"a": 0, "b": 0}
    for word in data:
        found[word] += 1
    return np.array(list(found.values())) + rng.laplace(size=2)


def counts_in_a_dict_of_dicts(data, rng):
    found = dict.fromkeys(("a", "b"), 0)
    for word in data:
        if word in found:
            found[word] += 1
    out = {}
    for word, count in found.items():
        out.setdefault("counts", {})[word] = count + rng.laplace()
    return out


def sums_beside_a_huge_number(data, rng):
    found = {"a": HUGE, "b": 0.0}
    for word in data:
        found[word] += 9.0
    return [each + rng.laplace(scale=9.0) for each in found.values()]


def array_beside_a_huge_number(data, rng):
    found = {"a": HUGE, "b": 0.0}
    for word in data:
        found[word] += 9.0
    return np.array(list(found.values())) + rng.laplace(scale=9.0, size=2)


def a_sum_beside_a_huge_number(data, rng):
    total = HUGE
    for word in data:
        total += 9.0 if word == "a" else 0.0
    return total + rng.laplace(scale=9.0)


def as_many_beside_a_huge_number(data, rng):
    total = HUGE
    for _ in data:
        total += 9.0
    return total + rng.laplace(scale=9.0)


def listed_beside_a_huge_number(data, rng):
    return sum([9.0 for _ in data]) + HUGE + rng.laplace(scale=9.0)


@pytest.mark.parametrize("mechanism", [counts, counts_in_a_dict_of_dicts])
def test_counts_by_texts_of_records_are_exact(mechanism):
    assert bounds(mechanism).size >= 20


@pytest.mark.parametrize(
    "mechanism",
    [
        sums_beside_a_huge_number,
        array_beside_a_huge_number,
        a_sum_beside_a_huge_number,
        as_many_beside_a_huge_number,
        listed_beside_a_huge_number,
    ],
)
def test_a_loop_over_texts_is_as_private_as_its_records(mechanism):
    with pytest.raises(Refused, match="rounding"):
        bounds(mechanism)
