"""Means of records whose number is private: sound ones are proved, evil twins are not."""

import random
from fractions import Fraction

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real, ReplaceOne, Row
from tests.proving import is_proved

ONE = PureDP(1.0)
NUMBERS = AddRemove(Real(-4, 10), max_size=6)
TWO = AddRemove(Real(-4, 10), max_size=6, group=2)
ROW = Row(dept=Categorical(("eng", "hr")), pay=Real(-4, 10))
FRAME = AddRemove(ROW, max_size=6, container="pandas")
USERS = AddRemove(
    Row(user=Categorical(("a", "b")), pay=Real(-4, 10)),
    unit="user",
    rows_per_unit=2,
    max_size=6,
    container="pandas",
)
SWAPPED = ReplaceOne(ROW, size=4, container="pandas")


def by_size(x, rng):
    return x.sum() / max(1, len(x)) + rng.laplace(0, 10)


def by_size_or_three(x, rng):  # from (u - l) / 4
    return np.sum(x) / np.maximum(len(x), 3) + rng.laplace(0, 3.5)


def twice(x, rng):
    return 2 * x.sum() / max(len(x), 1) + rng.laplace(0, 20)


def of_some(x, rng):
    y = x[x > 3]
    return y.sum() / max(len(y), 1) + rng.laplace(0, 10)


def of_a_column(df, rng):
    return df["pay"].sum() / max(1, len(df)) + rng.laplace(0, 10)


def of_a_group(df, rng):
    d = df[df["dept"] == "eng"]
    return d["pay"].sum() / max(1, len(d)) + rng.laplace(0, 14)


def or_nothing(x, rng):
    mean = x.mean() if len(x) else 0.0
    return mean + rng.laplace(0, 10)


def in_a_branch(df, rng):
    mean = 0.0
    if len(df) > 0:
        mean = df["pay"].mean()
    return mean + rng.laplace(0, 10)


def by_others(x, rng):  # 6 * 10 by 1
    return x.sum() / max(1, len(x[x > 9])) + rng.laplace(0, 14)


def by_half(x, rng):
    return x.sum() / (max(1, len(x)) * 0.5) + rng.laplace(0, 10)


def by_fewer(x, rng):
    return x.sum() / max(1, max(1, len(x)) - 1) + rng.laplace(0, 10)


def or_one(x, rng):
    return (x.mean() if len(x) else 20.0) + rng.laplace(0, 14)


def of_others(x, rng):
    y = x[x > 3]
    return (x.mean() if len(y) else 0.0) + rng.laplace(0, 5)


def of_more_than_one(x, rng):
    return (x.mean() if len(x) > 1 else 0.0) + rng.laplace(0, 5)


def and_its_size(x, rng):
    n = max(1, len(x))
    return x.sum() / n + rng.laplace(0, 10), n


def times_its_size(x, rng):
    n = max(1, len(x))
    return x.sum() / n * n + rng.laplace(0, 9)


SOUND = [
    (by_size, NUMBERS),
    (by_size_or_three, NUMBERS),
    (twice, NUMBERS),
    (of_some, NUMBERS),
    (of_a_column, FRAME),
    (of_a_group, SWAPPED),
    (or_nothing, NUMBERS),
    (in_a_branch, FRAME),
]
OTHERS = [
    by_others, by_half, by_fewer, or_one, of_others, of_more_than_one, and_its_size, times_its_size
]  # fmt: skip


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


@pytest.mark.parametrize(("mechanism", "neighbors"), named(SOUND))
def test_a_mean_is_proved_and_for_a_smaller_claim_it_is_not(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)
    assert not is_proved(mechanism, PureDP(0.99), neighbors)


@pytest.mark.parametrize("mechanism", OTHERS)
def test_an_evil_twin_is_not_proved(mechanism):
    assert not is_proved(mechanism, ONE, NUMBERS)


@pytest.mark.parametrize(("mechanism", "neighbors"), [(by_size, TWO), (of_a_column, USERS)])
def test_several_records_move_it_by_the_whole_range(mechanism, neighbors):
    assert not is_proved(mechanism, ONE, neighbors)
    assert is_proved(mechanism, PureDP(1.5), neighbors)


def test_the_bound_holds_of_random_records():
    choose = random.Random(5)
    for _ in range(3000):
        low, high = sorted((choose.randint(-9, 9), choose.randint(-9, 9)))
        count, size = choose.randint(1, 4), choose.randint(0, 5)
        ends = low, high, (low + high) // 2
        records = [Fraction(choose.choice(ends)) for _ in range(size + 1)]
        means = [sum(x, Fraction(0)) / max(len(x), count) for x in (records, records[1:])]
        low, high = min(low, 0), max(high, 0)
        far = max(Fraction(max(-low, high), count), Fraction(high - low, count + 1))
        assert abs(means[0] - means[1]) <= far
        assert all(low <= mean <= high for mean in means)
