"""Tallies and lists that are made empty and filled later; twins read them before, or fill twice."""

from __future__ import annotations

from collections import Counter

import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real, Row
from tests.proving import is_proved

KINDS = ("a", "b", "c")
ONE = PureDP(1.0)
WORDS = AddRemove(Categorical(KINDS), max_size=8, container="list")
ROWS = AddRemove(Row(mood=Categorical(KINDS), x=Real(0, 1)), max_size=8, container="list")


def of_the_data(data, rng):
    counts = Counter()
    counts.update(data)
    return [counts[k] + rng.laplace() for k in KINDS]


def of_a_generator(data, rng):
    counts = Counter()
    scale = 1.0
    counts.update(r["mood"] for r in data)
    return {k: counts.get(k, 0) + rng.laplace(scale=scale) for k in KINDS}


def filled_twice(data, rng):
    counts = Counter()
    counts.update(r["mood"] for r in data)
    counts.update(r["mood"] for r in data)
    return [counts[k] + rng.laplace() for k in KINDS]


def under_another_name(data, rng):
    counts = Counter()
    other = counts
    counts.update(r["mood"] for r in data)
    return [other[k] for k in KINDS]


def begun_with_a_record(data, rng):
    counts = Counter()
    counts["a"] = 5 * len(data)
    counts.update(r["mood"] for r in data)
    return [counts[k] + rng.laplace() for k in KINDS]


def seen_by_a_function(data, rng):
    counts = Counter()
    raw = lambda: counts["a"]  # noqa: E731
    counts.update(r["mood"] for r in data)
    return raw()


def keys_of_the_data(data, rng):
    counts = Counter()
    counts.update(r["mood"] for r in data)
    return {k: v + rng.laplace() for k, v in counts.items()}


@pytest.mark.parametrize(("mechanism", "neighbors"), [(of_the_data, WORDS), (of_a_generator, ROWS)])
def test_a_tally_that_is_filled_once_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)


@pytest.mark.parametrize(
    "mechanism",
    [
        filled_twice,
        under_another_name,
        begun_with_a_record,
        seen_by_a_function,
        keys_of_the_data,
    ],
)
def test_other_tallies_are_not_proved(mechanism):
    assert not is_proved(mechanism, ONE, ROWS)


NUMBERS = AddRemove(Real(0, 1), max_size=8, container="list")


def list_of_the_data(data, rng):
    values = []
    values.extend(data)
    return sum(values) + rng.laplace()


def list_of_clipped(data, rng):
    values = list()  # noqa: C408
    values.extend(min(max(x, 0.0), 1.0) for x in data)
    return sum(values) + rng.laplace()


def list_filled_twice(data, rng):
    values = []
    values.extend(data)
    values.extend(data)
    return sum(values) + rng.laplace()


def list_by_another_name(data, rng):
    values = []
    other = values
    values.extend(data)
    return sum(values) + rng.laplace(), len(other)


def list_begun_before(data, rng):
    values = []
    values.append(sum(data))
    values.extend(data)
    return sum(values) + rng.laplace()


def list_in_a_function(data, rng):
    values = []
    raw = lambda: sum(values)  # noqa: E731
    values.extend(data)
    return raw()


@pytest.mark.parametrize("mechanism", [list_of_the_data, list_of_clipped])
def test_a_list_that_is_filled_once_is_proved(mechanism):
    assert is_proved(mechanism, ONE, NUMBERS)


@pytest.mark.parametrize(
    "mechanism",
    [list_filled_twice, list_by_another_name, list_begun_before, list_in_a_function],
)
def test_other_lists_are_not_proved(mechanism):
    assert not is_proved(mechanism, ONE, NUMBERS)
