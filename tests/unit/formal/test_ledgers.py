"""Sets, and objects that are looked up, in the helpers that public code keeps its books with."""

from dataclasses import dataclass

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved

NEIGHBORS = AddRemove(Integer(0, 3), max_size=6)


@dataclass
class Entry:
    epsilon: float
    count: int = 0


class Ledger:
    def __init__(self, rng=None):
        self.entries = {}
        self.rng = rng if rng is not None else np.random.default_rng()

    def spend(self, stage, epsilon):
        self.entries[stage] = Entry(epsilon)

    def spent(self, stage):
        entry = self.entries.get(stage)
        if entry is None:
            return 0.0
        return entry.epsilon

    def noisy(self, value):
        return value + self.rng.laplace()


def best(counts, rng, taken):
    found, value = None, 0.0
    for key, count in counts.items():
        if key in taken:
            continue
        noisy = count + rng.laplace(scale=1.0)
        if found is None or noisy > value:
            found, value = key, noisy
    return found


def first(counts, rng, taken):
    return next(iter(taken))


def counted(data):
    return {key: int(np.sum(np.asarray(data) == key)) for key in range(4)}


def side_by_side(data, rng):
    ledger, total = Ledger(rng), float((np.asarray(data) >= 0).sum())
    return ledger.noisy(total)


def looked_up(data, rng):
    ledger = Ledger(rng)
    ledger.spend("count", 1.0)
    value = ledger.noisy(len(data))
    return value if ledger.spent("count") <= 1.0 else None


def a_set_that_is_asked(data, rng):
    return best(counted(data), rng, set())


@pytest.mark.parametrize("mechanism", [side_by_side, a_set_that_is_asked])
def test_helpers_with_books_are_proved(mechanism):
    assert is_proved(mechanism, PureDP(1.0), NEIGHBORS)


def test_an_object_that_is_looked_up_is_read():
    assert lift(looked_up).sources


def raw_side_by_side(data, rng):
    ledger, total = Ledger(rng), float((np.asarray(data) >= 0).sum())
    return ledger.noisy(total) + total


def looked_up_by_the_data(data, rng):
    ledger = Ledger(rng)
    if len(data) > 3:
        ledger.spend("count", 1.0)
    return ledger.noisy(len(data)) + ledger.spent("count")


def missing(data, rng):
    ledger = Ledger(rng)
    if len(data) > 3:
        ledger.spend("count", 1.0)
    return ledger.noisy(len(data)) + ledger.entries.get("count").epsilon


@pytest.mark.parametrize("mechanism", [raw_side_by_side, looked_up_by_the_data, missing])
def test_helpers_with_books_that_tell_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NEIGHBORS)


def the_first_of_a_set(data, rng):
    return first(counted(data), rng, {"a", "b"})


def swapped(data, rng):
    seen = len(data)

    def known():
        return seen

    ledger, seen, other = Ledger(rng), 0, known()
    return ledger.noisy(seen) + other


def test_the_order_of_a_set_is_refused_in_a_function_that_is_given_it():
    with pytest.raises(Unsupported, match="the order of a set"):
        lift(the_first_of_a_set)


def test_values_that_a_function_inside_names_are_not_assigned_one_by_one():
    assert not is_proved(swapped, PureDP(1.0), NEIGHBORS)
