"""Loops that count their turns, go through sorted records, or add squares of deviations."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, ReplaceOne
from dpaudit.formal.lift import lift
from dpaudit.formal.program import While, walk
from tests.proving import is_proved

CLAIM = PureDP(1.0)
PEOPLE = AddRemove(Real(0, 1), container="list")
FIVE = ReplaceOne(Real(0, 1), size=5, container="list")


def counted_sum(data, rng):
    total, i = 0.0, 0
    while i < len(data):
        total += data[i]
        i += 1
    return total + rng.laplace()


def counted_by_a_variable(data, rng):
    i = 0
    n = len(data)
    total = 0.0
    while i < n:
        if data[i] > 0.5:
            total = total + 1
        i = i + 1
    return total + rng.laplace()


def counted_into_a_list(data, rng):
    kept = []
    i = 0
    while i < len(data):
        kept.append(min(max(data[i], 0.0), 1.0))
        i += 1
    return sum(kept) + rng.laplace()


def how_often(data, rng):
    i = 0
    while i < len(data):
        i += 1
    return i + rng.laplace()


def sum_of_the_sorted(data, rng):
    total = 0
    for value in sorted(data):
        if value > 0.5:
            total += 1
    return total + rng.laplace()


def variance(data, rng):
    mean = sum(data) / len(data)
    squares = 0.0
    for value in data:
        squares += (value - mean) ** 2
    return squares / len(data) + rng.laplace(scale=1 / 5)


def variance_by_a_variable(data, rng):
    mean = sum(data) / len(data)
    squares = 0
    for value in data:
        off = value - mean
        squares += off * off
    return squares / len(data) + rng.laplace(scale=1 / 5)


SOUND = [
    (counted_sum, PEOPLE), (counted_by_a_variable, PEOPLE), (counted_into_a_list, PEOPLE),
    (how_often, PEOPLE), (sum_of_the_sorted, PEOPLE), (variance, FIVE),
    (variance_by_a_variable, FIVE),
]  # fmt: skip


def counted_sum_of_twice(data, rng):
    total, i = 0.0, 0
    while i < len(data):
        total += 2 * data[i]
        i += 1
    return total + rng.laplace()


def twice_how_often(data, rng):
    i = 0
    while i < len(data):
        i += 1
    return 2 * i + rng.laplace()


def sorted_beside_unsorted(data, rng):
    order = []
    for value in sorted(data):
        order.append(value)  # noqa: PERF402
    return sum(a * b for a, b in zip(data, order)) + rng.laplace()  # noqa: B905


def sorted_by_place(data, rng):
    total, place = 0.0, 0
    for value in sorted(data):
        total += place * value
        place += 1  # noqa: SIM113
    return total + rng.laplace(scale=4)


def first_of_the_sorted(data, rng):
    total = 0.0
    for value in sorted(data):
        total = value
    return 2 * total + rng.laplace()


def variance_around_itself(data, rng):
    squares = sum(data) / len(data)
    for value in data:
        squares += (value - squares) ** 2
    return squares / len(data) + rng.laplace(scale=1 / 5)


def variance_around_the_last(data, rng):
    off = sum(data) / len(data)
    squares = 0.0
    for value in data:
        off = value - off
        squares += off * off
    return squares / len(data) + rng.laplace(scale=1 / 5)


def variance_with_little_noise(data, rng):
    mean = sum(data) / len(data)
    squares = 0.0
    for value in data:
        squares += (value - mean) ** 2
    return squares / len(data) + rng.laplace(scale=1 / 10)


def variance_and_its_last_part(data, rng):
    mean = sum(data) / len(data)
    squares, off = 0.0, 0.0
    for value in data:
        off = value - mean
        squares += off * off
    return squares / len(data) + rng.laplace(scale=1 / 5), off


BROKEN = [
    (counted_sum_of_twice, PEOPLE), (twice_how_often, PEOPLE), (sorted_beside_unsorted, FIVE),
    (sorted_by_place, FIVE), (first_of_the_sorted, FIVE), (variance_around_itself, FIVE),
    (variance_around_the_last, FIVE), (variance_with_little_noise, FIVE),
    (variance_and_its_last_part, FIVE),
]  # fmt: skip


def that_breaks(data, rng):
    i = 0
    while i < len(data):
        if data[i] > 0.5:
            break
        i += 1
    return i + rng.laplace()


def that_goes_on(data, rng):
    i = 0
    while i < len(data):
        if data[i] > 0.5:
            continue
        i += 1
    return i + rng.laplace()


def of_what_shrinks(data, rng):
    rest = list(data)
    i = 0
    while i < len(rest):
        rest.pop()
        i += 1
    return i + rng.laplace()


def of_what_grows_by_another_name(data, rng):
    rest = []
    same = rest
    i = 0
    while i < len(same):
        rest.append(1.0)
        i += 1
    return i + rng.laplace()


def of_what_is_added_to_in_place(data, rng):
    rest = list(data)
    more = 0
    i = 0
    while i < len(rest):
        more = rest
        more += [1.0] if i < 3 else []
        i += 1
    return i + rng.laplace()


def by_two(data, rng):
    i = 0
    while i < len(data):
        i += 2
    return i + rng.laplace()


def from_one(data, rng):
    i = 1
    while i < len(data):
        i += 1
    return i + rng.laplace()


def by_floats(data, rng):
    i = 0
    while i < len(data):
        i += 1.0
    return np.asarray(i) + rng.laplace()


def with_a_limit_that_moves(data, rng):
    i = 0
    n = len(data)
    while i < n:
        n = n - 1
        i += 1
    return i + rng.laplace()


def set_from_inside(data, rng):
    i = 0
    n = len(data)

    def skip():
        nonlocal i
        i = n

    while i < n:
        skip()
        i += 1
    return i + rng.laplace()


OTHERS = [
    that_breaks, that_goes_on, of_what_shrinks, of_what_grows_by_another_name,
    of_what_is_added_to_in_place, by_two, from_one, by_floats, with_a_limit_that_moves,
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_a_sound_loop_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, CLAIM, neighbors)


@pytest.mark.parametrize(("mechanism", "neighbors"), BROKEN)
def test_a_broken_loop_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, CLAIM, neighbors)


@pytest.mark.parametrize("mechanism", OTHERS)
def test_a_loop_of_which_the_turns_are_not_told_beforehand_stays_as_it_is(mechanism):
    assert any(isinstance(node, While) for node in walk(lift(mechanism).entry))


def test_a_loop_whose_variable_a_function_inside_sets_is_not_proved():
    assert not is_proved(set_from_inside, CLAIM, PEOPLE)
