"""An index that a record tells: entries, one-hot arrays and columns that a loop fills."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpaudit import AddRemove, AnyPair, Integer, PureDP, Real, ReplaceOne
from dpaudit.formal.clock import now
from dpaudit.formal.cost import CostProof, prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved
from tests.sweeps import thinned

ONE = PureDP(1.0)
LOCAL = AnyPair(Integer(0, 3))
PLACES = AddRemove(Integer(0, 3))
LISTED = AddRemove(Integer(0, 3), container="list")
REALS = AddRemove(Real(0, 10))
THREE = ReplaceOne(Real(0, 10), size=3)


def is_cheap(mechanism, neighbors):
    """Return whether there is a proof by cost."""
    try:
        found = prove_by_cost(lift(mechanism), ONE, neighbors, deadline=now() + 300)
    except Unsupported:
        return False
    return isinstance(found, CostProof)


def one_hot(x, rng):
    v = np.zeros(4)
    v[x] = 1
    return v + rng.laplace(scale=2, size=4)


def one_hot_of_a_list(x, rng):
    v = [0] * 4
    v[x] += 1
    return [entry + rng.laplace(scale=2) for entry in v]


def one_hot_by_rows(x, rng):
    return np.eye(4)[x] + rng.laplace(scale=2, size=4)


def one_hot_by_comparison(x, rng):
    return (np.arange(4) == x).astype(float) + rng.laplace(scale=2, size=4)


def one_hot_by_choices(x, rng):
    return [(1 if i == x else 0) + rng.laplace(scale=2) for i in range(4)]


def looked_up(x, rng):
    return [0.0, 0.5, 0.7, 1.0][x] + rng.laplace(scale=1)


def private_where(x, rng):
    return np.where(x > 1, 1.0, 0.0) + rng.laplace(scale=1)


def diagonal(x, rng):
    m = np.zeros((4, 4))
    m[x, x] = 1
    return m + rng.laplace(scale=2, size=(4, 4))


def rows_of_identity(data, rng):
    return np.eye(4)[data].sum(axis=0) + rng.laplace(scale=1, size=4)


def weights_of_records(data, rng):
    return np.array([0.0, 1.0, 2.0, 3.0])[data].sum() + rng.laplace(scale=3)


def presence(data, rng):
    v = np.zeros(4)
    v[data] = 1
    return v + rng.laplace(scale=1, size=4)


def filled_alike(data, rng):
    out = np.zeros_like(data)
    for i in range(len(data)):
        out[i] = min(data[i], 5)
    return out.sum() + rng.laplace(scale=5)


def filled_empty(data, rng):
    out = np.empty(len(data))
    for i, x in enumerate(data):
        out[i] = min(x, 4)
        out[i] += 1
    return out.sum() + rng.laplace(scale=5)


def of_its_own_type(data, rng):
    return np.clip(data, 0, 5).astype(data.dtype).sum() + rng.laplace(scale=5)


def filled_with_noise(data, rng):
    out = np.zeros_like(data)
    for i, x in enumerate(data):
        out[i] = x + rng.laplace(scale=10)
    return out


LOCAL_ONES = (one_hot, one_hot_of_a_list, one_hot_by_rows, one_hot_by_comparison,
              one_hot_by_choices, looked_up, private_where, diagonal)  # fmt: skip
SOUND = [
    *((mechanism, LOCAL) for mechanism in LOCAL_ONES),
    *((mechanism, PLACES) for mechanism in (rows_of_identity, weights_of_records, presence)),
    *((mechanism, REALS) for mechanism in (filled_alike, filled_empty, of_its_own_type)),
    (filled_with_noise, THREE),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(SOUND))
def test_entries_at_an_index_that_a_record_tells_are_proved(mechanism, neighbors):
    assert is_cheap(mechanism, neighbors)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(one_hot, LOCAL), (rows_of_identity, PLACES), (filled_alike, REALS)],
)
def test_floats_are_bounded_too(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)


def half_the_noise(x, rng):
    v = np.zeros(4)
    v[x] = 1
    return v + rng.laplace(scale=1, size=4)


def added_twice(x, rng):
    v = np.zeros(4)
    v[x] += 1
    v[x] += 1
    return v + rng.laplace(scale=2, size=4)


def under_another_name(x, rng):
    v = np.zeros(4)
    w = v
    v[x] = 1
    return w


def through_a_view(x, rng):
    m = np.zeros((2, 4))
    row = m[0]
    row[x] = 1
    return m


def beyond_the_list(x, rng):
    return [0.0, 0.1][x] + rng.laplace(scale=1)


def new_key(x, rng):
    d = {0: 0, 1: 0}
    d[x] = 1
    return [n + rng.laplace(scale=2) for n in d.values()]


def sign_of_a_zero(x, rng):
    return np.array([0.0, -0.0, 0.0, -0.0])[x]


def type_of_a_number(x, rng):
    return str([[np.float64(1.0), 1.0, 1.0, 1.0][x]])


def nan_by_a_test(x, rng):
    return np.where(x > 1, math.nan, 0.0) + rng.laplace(scale=5)


def by_remainder(x, rng):
    v = np.zeros(4)
    v[x % 2] = 3
    return v + rng.laplace(scale=2, size=4)


def fewer_rows(data, rng):
    return np.eye(3)[data].sum(axis=0) + rng.laplace(scale=1, size=3)


def private_weights(data, rng):
    counts = np.array([(data == k).sum() for k in range(4)])
    return counts[data].sum() + rng.laplace(scale=3)


def array_of_an_empty_list(data, rng):
    return np.eye(4)[np.array([int(x) for x in data])].sum(axis=0) + rng.laplace(scale=1, size=4)


def mask_of_an_empty_list(data, rng):
    return np.array(data)[np.array([x > 1 for x in data])].sum() + rng.laplace(scale=3)


def counts_of_an_empty_list(data, rng):
    return np.bincount(np.array([int(x) for x in data]), minlength=4) + rng.laplace(size=4)


def presence_twice(data, rng):
    v = np.zeros(4)
    v[data] = 1
    v[3 - data] = 1
    return v + rng.laplace(scale=1, size=4)


def exact_presence(data, rng):
    v = np.zeros(4)
    v[data] = 1
    return v


def filled_under_another_name(data, rng):
    out = np.zeros_like(data)
    kept = [out]
    for i in range(len(data)):
        out[i] = data[i]
    return kept[0].sum() + rng.laplace(scale=1)


def filled_elsewhere(data, rng):
    out = np.zeros(len(data))
    for i in range(len(data)):
        out[0] = out[0] + min(data[i], 1)
    return out.sum() + rng.laplace(scale=1)


def filled_by_some(data, rng):
    out = np.empty(len(data))
    for i in range(len(data)):
        if data[i] > 5:
            out[i] = 1.0
    return out.sum() + rng.laplace(scale=1)


def distinct_values_of_nothing(data, rng):
    return len(np.unique(np.empty(len(data)))) + rng.laplace(scale=1)


def chosen_by_nothing(data, rng):
    return data[np.empty(len(data), dtype=bool)].sum() + rng.laplace(scale=10)


def empty_under_another_name(data, rng):
    out = np.empty(len(data))
    kept = out
    for i in range(len(data)):
        out[i] = min(data[i], 1)
    return kept.sum() + rng.laplace(scale=1)


def filled_and_cut(data, rng):
    out = np.zeros(len(data), dtype=int)
    for i in range(len(data)):
        out[i] = data[i]
    return out.sum() + rng.laplace(scale=10)


def filled_and_returned(data, rng):
    out = np.zeros(len(data))
    for i in range(len(data)):
        out[i] = min(data[i], 5)
    return out


def filled_records(data, rng):
    for i in range(len(data)):
        data[i] = min(data[i], 5)
    return data.sum() + rng.laplace(scale=5)


LOCAL_TWINS = (half_the_noise, added_twice, under_another_name, through_a_view, beyond_the_list,
               new_key, sign_of_a_zero, type_of_a_number, nan_by_a_test, by_remainder)  # fmt: skip
PLACED = (fewer_rows, private_weights, array_of_an_empty_list, counts_of_an_empty_list,
          presence_twice, exact_presence)  # fmt: skip
FILLED = (distinct_values_of_nothing, chosen_by_nothing, empty_under_another_name,
          filled_under_another_name, filled_elsewhere, filled_by_some, filled_and_cut,
          filled_and_returned, filled_records)  # fmt: skip
BROKEN = [
    *((mechanism, LOCAL) for mechanism in LOCAL_TWINS),
    *((mechanism, PLACES) for mechanism in PLACED),
    (mask_of_an_empty_list, LISTED),
    (presence, ReplaceOne(Integer(0, 3), size=3)),
    *((mechanism, REALS) for mechanism in FILLED),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(BROKEN))
def test_their_broken_twins_are_refused(mechanism, neighbors):
    assert not is_cheap(mechanism, neighbors)
