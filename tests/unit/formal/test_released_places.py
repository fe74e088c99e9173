"""Fields, places and samples that released values choose; twins choose them by private values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Row
from tests.proving import is_proved
from tests.sweeps import sampled

ONE = PureDP(1.0)
ILL = AddRemove(
    Row(fever=Integer(0, 1), rash=Integer(0, 1), ill=Integer(0, 1)), max_size=8, container="list"
)
FRAME = AddRemove(
    Row(fever=Integer(0, 1), rash=Integer(0, 1), ill=Integer(0, 1)), max_size=8, container="pandas"
)
LISTED = AddRemove(Integer(0, 3), max_size=8, container="list")
NUMBERS = AddRemove(Integer(0, 3), max_size=8)
FEATURES = ("fever", "rash")


def agreeing(rows, feature):
    return sum(r[feature] for r in rows)


def leaf(rows, feature, value):
    counts = [0, 0]
    for r in rows:
        if r[feature] == value:
            counts[r["ill"]] += 1
    return counts


def chosen(rows, epsilon, rng):
    scores = [agreeing(rows, f) for f in FEATURES]
    best = max(scores)
    weights = [math.exp(epsilon * (s - best) / 2) for s in scores]
    total = sum(weights)
    return rng.choice(FEATURES, p=[w / total for w in weights])


def counts_of_a_chosen_field(rows, rng):
    feature = chosen(rows, 0.5, rng)
    return feature, sum(r[feature] for r in rows) + rng.laplace(scale=2)


def labels_of_a_stump(rows, rng):
    feature = FEATURES[int(np.argmax([agreeing(rows, f) + rng.gumbel(scale=4) for f in FEATURES]))]
    labels = {}
    for value in (0, 1):
        counts = np.array(leaf(rows, feature, value), dtype=float)
        counts += rng.laplace(scale=2, size=2)
        labels[value] = int(counts.argmax())
    return feature, labels


def a_chosen_column(frame, rng):
    noisy = [frame[f].sum() + rng.laplace(scale=2) for f in FEATURES]
    feature = FEATURES[int(np.argmax(noisy))]
    return frame[feature].sum() + rng.laplace(scale=2)


def a_field_that_records_choose(rows, rng):
    feature = max(FEATURES, key=lambda f: agreeing(rows, f))
    return feature, sum(r[feature] for r in rows) + rng.laplace(scale=1)


def a_field_that_is_not_paid_for(rows, rng):
    feature = chosen(rows, 0.5, rng)
    return feature, sum(r[feature] for r in rows) + rng.laplace(scale=1)


def both_leaves_at_the_whole_budget(rows, rng):
    feature = chosen(rows, 0.5, rng)
    return feature, [v + rng.laplace(scale=1) for v in leaf(rows, feature, 1)]


def count_that_weighs_a_field(rows, rng):
    feature = chosen(rows, 0.5, rng)
    weight = {"fever": 1, "rash": 3}[feature]
    return feature, weight * sum(r[feature] for r in rows) + rng.laplace(scale=2)


def one_hot(data, rng):
    counts = np.bincount(data, minlength=4) + rng.laplace(size=4)
    out = np.zeros(4)
    out[int(np.argmax(counts))] = 1
    return out


def one_hot_list(data, rng):
    counts = [sum(x == k for x in data) + rng.laplace() for k in range(4)]
    out = [0] * 4
    out[counts.index(max(counts))] = 1
    return out


def one_hot_of_the_raw_mode(data, rng):
    out = np.zeros(4)
    out[int(np.argmax(np.bincount(data, minlength=4)))] = 1
    return out + rng.laplace(size=4)


def raw_count_at_a_released_place(data, rng):
    counts = np.bincount(data, minlength=4)
    out = np.zeros(4)
    out[int(np.argmax(counts + rng.laplace(scale=2, size=4)))] = counts[0]
    return out


def a_raw_array_changed_at_a_released_place(data, rng):
    counts = np.bincount(data, minlength=4)
    counts[int(np.argmax(counts + rng.laplace(size=4)))] = 0
    return counts


def histogram(data, scale, rng):
    counts = [0] * 4
    for x in data:
        counts[x] += 1
    return [max(0.0, c + rng.laplace(scale=scale)) for c in counts]


def synthetic(data, rng):
    weights = histogram(data, 1, rng)
    total = sum(weights)
    if total == 0:
        weights, total = [1.0] * 4, 4.0
    return list(rng.choice(4, size=20, p=[w / total for w in weights]))


def synthetic_of_too_little_noise(data, rng):
    weights = [w + 0.01 for w in histogram(data, 0.9, rng)]
    return rng.choice(4, size=20, p=[w / sum(weights) for w in weights])


def synthetic_of_raw_counts(data, rng):
    weights = [1 + sum(x == k for x in data) for k in range(4)]
    return rng.choice(4, size=20, p=[w / sum(weights) for w in weights])


def sample_of_records(data, rng):
    weights = [w + 0.01 for w in histogram(data, 1, rng)]
    items = [len(data), 1, 2, 3]
    return rng.choice(items, size=2, p=[w / sum(weights) for w in weights])


SOUND = [
    (counts_of_a_chosen_field, ILL),
    (labels_of_a_stump, ILL),
    (a_chosen_column, FRAME),
    (one_hot, NUMBERS),
    (one_hot_list, LISTED),
    (synthetic, LISTED),
]
BROKEN = [
    (a_field_that_records_choose, ILL),
    (a_field_that_is_not_paid_for, ILL),
    (both_leaves_at_the_whole_budget, ILL),
    (count_that_weighs_a_field, ILL),
    (one_hot_of_the_raw_mode, NUMBERS),
    (raw_count_at_a_released_place, NUMBERS),
    (a_raw_array_changed_at_a_released_place, NUMBERS),
    (synthetic_of_too_little_noise, LISTED),
    (synthetic_of_raw_counts, LISTED),
    (sample_of_records, LISTED),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), sampled(SOUND, 3))
def test_what_released_values_choose_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)


@pytest.mark.parametrize(("mechanism", "neighbors"), sampled(BROKEN, 3))
def test_what_private_values_choose_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, ONE, neighbors)
