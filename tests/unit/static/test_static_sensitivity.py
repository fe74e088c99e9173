"""Noise and coins that the numbers of the source show to be too small for the claim."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dpaudit import AddRemove, AnyPair, Integer, PureDP, Real, ReplaceOne, Row
from dpaudit.evidence import Budget
from dpaudit.static import StaticEngine
from dpaudit.subject import Subject

ADDED = AddRemove(Real(0, 100), max_size=8)
REPLACED = ReplaceOne(Real(0, 100), size=4)
BIT = AnyPair(Integer(0, 1))


def errors(mechanism, claim, neighbors):
    budget = Budget(1e-6, 1, None, 0, "real")
    found = StaticEngine().examine(Subject.of(mechanism), claim, neighbors, budget).findings
    return {f.id for f in found if f.level == "error"}


def total(data, rng):
    return np.clip(data, 0, 20).sum() + rng.laplace(scale=10.0)


def total_paid(data, rng):
    return np.clip(data, 0, 20).sum() + rng.laplace(scale=20.0)


def total_of_range(data, rng):
    return np.clip(data, 80, 100).sum() + rng.laplace(scale=20.0)


def mean(data, rng):
    x = np.clip(data, 0, 20)
    average = x.mean() if len(x) else 0.0
    return average + rng.laplace(scale=5.0)


def mean_by_quotient(data, rng):
    return np.clip(data, 0, 20).sum() / max(1, len(data)) + rng.laplace(scale=2.0)


def mean_of_many(data, rng):
    x = np.clip(data, 0, 20)
    if len(x) < 50:
        return rng.laplace(scale=5.0)
    return x.mean() + rng.laplace(scale=5.0)


def variance(data, rng):
    return np.clip(data, 0, 10).var() + rng.laplace(scale=10.0)


def largest(data, rng):
    return min(max(data, default=0.0), 50) + rng.laplace(scale=10.0)


def share(data, rng):
    return np.mean(data > 50) + rng.laplace(scale=0.1)


def levels(data, rng):
    return [np.sum(data >= low) + rng.laplace(scale=1.0) for low in (0, 25, 50)]


def parts(data, rng):
    return [np.sum(data == low) + rng.laplace(scale=1.0) for low in (0, 25, 50)]


def sampled(data, rng):
    kept = data[rng.random(len(data)) < 0.5]
    return len(kept) + rng.laplace(scale=1 / np.log(1 + (np.e - 1) / 0.5))


def of_a_part(data, rng):
    return np.clip(data[data < 5], 0, 20).sum() + rng.laplace(scale=5.0)


def coin(value):
    return value if random.random() < 0.9 else 1 - value


def coin_by_branch(value):
    if random.random() >= 0.1:
        return value
    return 1 - value


def fair_coin(value):
    return value if random.random() < 0.73 else 1 - value


def two_coins(value):
    if random.random() < 0.5:
        return value
    return int(random.random() < 0.5)


ONE = PureDP(1.0)
BROKEN = [
    (total, ONE, ADDED),
    (total, ONE, REPLACED),
    (total_of_range, ONE, ADDED),
    (mean, ONE, ADDED),
    (mean, PureDP(0.9), REPLACED),
    (mean_by_quotient, ONE, ADDED),
    (variance, ONE, ADDED),
    (largest, ONE, ADDED),
    (share, ONE, ADDED),
    (levels, ONE, ADDED),
    (coin, ONE, BIT),
    (coin_by_branch, ONE, BIT),
]
SOUND = [
    (total, PureDP(2.0), ADDED),
    (total_paid, ONE, ADDED),
    (total, ONE, AddRemove(Real(0, 10), max_size=8)),
    (total_of_range, ONE, REPLACED),
    (mean, ONE, REPLACED),
    (mean, ONE, AddRemove(Real(0, 100), min_size=4, max_size=8)),
    (mean_of_many, ONE, ADDED),
    (variance, PureDP(2.5), ADDED),
    (variance, ONE, REPLACED),
    (levels, PureDP(3.0), ADDED),
    (parts, ONE, ADDED),
    (sampled, ONE, ADDED),
    (of_a_part, ONE, ADDED),
    (fair_coin, ONE, BIT),
    (two_coins, PureDP(1.0987), BIT),
    (coin, PureDP(2.2), BIT),
]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), BROKEN)
def test_noise_that_is_smaller_than_one_record_moves_is_found(mechanism, claim, neighbors):
    assert "DPA106" in errors(mechanism, claim, neighbors)


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), SOUND)
def test_noise_that_pays_for_a_record_is_no_error(mechanism, claim, neighbors):
    assert "DPA106" not in errors(mechanism, claim, neighbors)


def test_the_range_of_several_columns_is_none_of_each():
    def of_column(data, rng):
        return data["x"].sum() + rng.laplace(scale=1.0)

    two = AddRemove(Row(x=Real(0, 1), y=Real(0, 1000)), max_size=8)
    assert "DPA106" not in errors(of_column, ONE, two)


def validated(value):
    assert value in (0, 1)
    if value not in (0, 1):
        raise ValueError("no bit")
    return value if random.random() < 0.7 else 1 - value


def test_an_exception_of_a_single_record_out_of_its_range_is_no_error():
    assert not errors(validated, ONE, BIT)


def switched(data, rng, enabled=True):
    if not enabled:
        return float(len(data))
    return len(data) + rng.laplace(scale=1.0)


def test_a_setting_that_turns_the_noise_off_is_no_error():
    assert not errors(switched, ONE, ADDED)
