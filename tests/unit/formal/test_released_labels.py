"""Counts of a label, or above a number, that was released before."""

from collections import Counter

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real, Row
from tests.proving import is_proved

NAMES = ["a", "b", "c"]
LISTED = AddRemove(Categorical(NAMES), container="list")
FRAMES = AddRemove(Row(name=Categorical(NAMES), amount=Real(0, 10)), container="pandas")


def winner(counts, rng):
    noisy = {name: counts[name] + rng.laplace(scale=2) for name in NAMES}
    return max(noisy, key=noisy.get)


def counted_in_a_list(data, rng):
    best = winner(Counter(data), rng)
    return best, data.count(best) + rng.laplace(scale=2)


def counted_by_a_counter(data, rng):
    counts = Counter(data)
    best = winner(counts, rng)
    return best, counts.get(best, 0) + rng.laplace(scale=2)


def counted_by_a_dict(data, rng):
    counts = {name: data.count(name) for name in NAMES}
    best = winner(counts, rng)
    return best, counts.get(best) + rng.laplace(scale=2)


def counted_in_an_array(data, rng):
    best = winner(Counter(data), rng)
    return best, np.sum(np.array(data) == best) + rng.laplace(scale=2)


def rows_of_the_best(frame, rng):
    counts = frame["name"].value_counts().reindex(NAMES, fill_value=0)
    best = (counts + rng.laplace(scale=2, size=3)).idxmax()
    return best, len(frame[frame["name"] == best]) + rng.laplace(scale=2)


def rows_above_a_released_number(frame, rng):
    limit = frame["amount"].sum() + rng.laplace(scale=20)
    return limit, (frame["amount"] > limit).sum() + rng.laplace(scale=2)


def parts_by_a_released_number(frame, rng):
    limit = frame["amount"].sum() + rng.laplace(scale=20)
    above = (frame["amount"] > limit).sum() + rng.laplace(scale=2)
    return above, (frame["amount"] <= limit).sum() + rng.laplace(scale=2)


def rows_by_a_released_number(frame, rng):
    amounts = frame["amount"].to_numpy()
    limit = amounts.sum() + rng.laplace(scale=20)
    below, above = amounts[amounts < limit], amounts[amounts > limit]
    return len(below) + rng.laplace(scale=2), len(above) + rng.laplace(scale=2)


def parts_that_share_their_end(frame, rng):
    limit = float(round(frame["amount"].sum() + rng.laplace(scale=20)))
    above = (frame["amount"] >= limit).sum() + rng.laplace(scale=2)
    return above, (frame["amount"] <= limit).sum() + rng.laplace(scale=2)


def parts_by_two_numbers(frame, rng):
    one, other = (frame["amount"].sum() + rng.laplace(scale=40) for _ in range(2))
    above = (frame["amount"] > one).sum() + rng.laplace(scale=2)
    return above, (frame["amount"] <= other).sum() + rng.laplace(scale=2)


def parts_by_a_number_and_one_more(frame, rng):
    limit = frame["amount"].sum() + rng.laplace(scale=20)
    above = (frame["amount"] > limit).sum() + rng.laplace(scale=2)
    return above, (frame["amount"] <= limit + 1).sum() + rng.laplace(scale=2)


def parts_by_a_number_that_changes(frame, rng):
    limit = np.array([frame["amount"].sum() + rng.laplace(scale=20)])
    above = (frame["amount"] > limit[0]).sum() + rng.laplace(scale=2)
    limit += 1
    return above, (frame["amount"] <= limit[0]).sum() + rng.laplace(scale=2)


def of_other_columns(frame, rng):
    limit = frame["amount"].sum() + rng.laplace(scale=20)
    above = (frame["amount"] > limit).sum() + rng.laplace(scale=2)
    return above, (10 - frame["amount"] <= limit).sum() + rng.laplace(scale=2)


def with_too_little_noise(data, rng):
    best = winner(Counter(data), rng)
    return best, data.count(best) + rng.laplace(scale=1.5)


def of_the_most_frequent(data, rng):
    best = max(NAMES, key=Counter(data).get)
    return best, data.count(best) + rng.laplace(scale=1)


def of_the_first_record(data, rng):
    best = data[0] if data else "a"
    return data.count(best) + rng.laplace(scale=1)


def without_noise(data, rng):
    best = winner(Counter(data), rng)
    return best, data.count(best) > 0


def rows_of_the_most_frequent(frame, rng):
    counts = frame["name"].value_counts().reindex(NAMES, fill_value=0)
    return len(frame[frame["name"] == counts.idxmax()]) + rng.laplace(scale=1)


def rows_above_the_mean(frame, rng):
    return (frame["amount"] > frame["amount"].sum() / 5).sum() + rng.laplace(scale=1)


def rows_above_a_number_with_little_noise(frame, rng):
    limit = frame["amount"].sum() + rng.laplace(scale=15)
    return (frame["amount"] > limit).sum() + rng.laplace(scale=2)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (counted_in_a_list, LISTED),
        (counted_by_a_counter, LISTED),
        (counted_by_a_dict, LISTED),
        (counted_in_an_array, LISTED),
        (rows_of_the_best, FRAMES),
        (rows_above_a_released_number, FRAMES),
        (parts_by_a_released_number, FRAMES),
        (rows_by_a_released_number, FRAMES),
    ],
)
def test_a_count_by_what_was_released_costs_its_noise(mechanism, neighbors):
    assert is_proved(mechanism, PureDP(1.0), neighbors)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (with_too_little_noise, LISTED),
        (parts_that_share_their_end, FRAMES),
        (parts_by_two_numbers, FRAMES),
        (parts_by_a_number_and_one_more, FRAMES),
        (parts_by_a_number_that_changes, FRAMES),
        (of_other_columns, FRAMES),
        (of_the_most_frequent, LISTED),
        (of_the_first_record, LISTED),
        (without_noise, LISTED),
        (rows_of_the_most_frequent, FRAMES),
        (rows_above_the_mean, FRAMES),
        (rows_above_a_number_with_little_noise, FRAMES),
    ],
)
def test_a_count_by_what_was_not_released_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, PureDP(1.0), neighbors)
