"""Lists and arrays of which a released value takes one, nobody knows which; twins change them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Row
from tests.proving import is_proved
from tests.sweeps import sampled

ONE = PureDP(1.0)
LISTED = AddRemove(Integer(0, 3), max_size=6, container="list")
ROWS = AddRemove(Row(a=Integer(0, 1), b=Integer(0, 1)), max_size=6, container="list")


def names_of_one_of_two(data, rng):
    names = [["a", "b"], ["c", "d"]][int(rng.integers(0, 2))]
    return names[0], len(data) + rng.laplace()


def row_beside_a_histogram(data, rng):
    row = np.array([[1.0, 2.0], [3.0, 4.0]])[int(rng.integers(0, 2))]
    counts = np.zeros(4)
    for x in data:
        counts[x] += 1
    return counts + rng.laplace(size=4), row[0]


def count_of_the_first_of_shuffled(rows, rng):
    fields = ["a", "b"]
    rng.shuffle(fields)
    return fields[0], sum(r[fields[0]] for r in rows) + rng.laplace()


def equal_after_a_shuffle(rows, rng):
    fields = ["a", "b"]
    rng.shuffle(fields)
    noisy = sum(r[fields[0]] for r in rows) + rng.laplace()
    return noisy if fields[0] == fields[1] else len(rows)


def array_that_is_changed_later(data, rng):
    first, second = np.zeros(1), np.ones(1)
    one = [first, second][int(rng.integers(0, 2))]
    first[0] = len(data)
    return float(one[0])


def array_that_a_loop_changes(data, rng):
    first, second = np.zeros(2), np.ones(2)
    one = [first, second][int(rng.integers(0, 2))]
    for _ in data:
        first[0] += 1
    return one[0]


def column_that_is_changed_later(data, rng):
    table = np.zeros((2, 2))
    column = table[:, int(rng.integers(0, 2))]
    table[0, 0] = len(data)
    return column[0]


def list_that_is_changed_later(data, rng):
    first, second = [0], [1]
    one = [first, second][int(rng.integers(0, 2))]
    first[0] = len(data)
    return one[0]


def list_that_grows_later(data, rng):
    first, second = [0], [1]
    one = [first, second][int(rng.integers(0, 2))]
    first.append(len(data))
    return one[-1]


def choice_that_is_changed_later(data):
    first, second = [0], [1]
    one = random.choice([first, second])
    first[0] = len(data)
    return one[0]


def sample_that_is_changed_later(data):
    first, second = [0], [1]
    sample = random.sample([first, second], 1)
    first[0] = len(data)
    return sample[0][0]


def what_a_draw_is_written_to(data, rng):
    out = np.zeros(1)
    rng.random(out=out)
    return len(data) if out[0] > 0 else 0


SOUND = [
    (names_of_one_of_two, LISTED),
    (row_beside_a_histogram, LISTED),
    (count_of_the_first_of_shuffled, ROWS),
]
BROKEN = [
    (equal_after_a_shuffle, ROWS),
    (array_that_is_changed_later, LISTED),
    (array_that_a_loop_changes, LISTED),
    (column_that_is_changed_later, LISTED),
    (list_that_is_changed_later, LISTED),
    (list_that_grows_later, LISTED),
    (choice_that_is_changed_later, LISTED),
    (sample_that_is_changed_later, LISTED),
    (what_a_draw_is_written_to, LISTED),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_what_is_taken_and_read_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)


@pytest.mark.parametrize(("mechanism", "neighbors"), sampled(BROKEN, 4))
def test_what_is_taken_and_changed_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, ONE, neighbors)
