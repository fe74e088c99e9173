"""Proofs that use `min_size`: the number of records that every dataset has at least."""

import numpy as np
import pandas as pd
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, Row, verify
from dpaudit.verdict import Verdict
from tests.proving import is_proved


def raising_on_none(data, rng):
    if len(data) == 0:
        raise ValueError("no records")
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def other_answer_below_three(data, rng):
    if len(data) < 3:
        return 0.0
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def largest(data, rng):
    return data.clip(0, 1).max() + rng.laplace(scale=1.0)


def over_fives(data, rng):
    if not data.size // 5:
        return -1.0
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def raising_on_few_that_are_large(data, rng):
    if len(data[data > 0.5]) == 0:
        raise ValueError("no large records")
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def raising_after_the_first(data, rng):
    if len(data[1:]) == 0:
        raise ValueError("a single record")
    return data.clip(0, 1).sum() + rng.laplace(scale=1.0)


def least(size, most=8):
    return AddRemove(Real(0, 1), max_size=most, min_size=size)


@pytest.mark.parametrize(
    ("mechanism", "size"), [(raising_on_none, 1), (other_answer_below_three, 3), (largest, 1)]
)
def test_a_test_that_the_least_size_decides_is_no_private_branch(mechanism, size):
    assert verify(mechanism, PureDP(1.0), least(size)).verdict is Verdict.VERIFIED
    assert not is_proved(other_answer_below_three, PureDP(1.0), least(2))


@pytest.mark.parametrize(
    ("mechanism", "size"),
    [
        (raising_on_none, 0),
        (other_answer_below_three, 2),
        (largest, 0),
        (over_fives, 4),
        (raising_on_few_that_are_large, 3),
        (raising_after_the_first, 1),
    ],
)
def test_a_test_that_both_outcomes_of_which_occur_stays_a_private_branch(mechanism, size):
    assert not is_proved(mechanism, PureDP(1.0), least(size))


def test_groups_and_users_count_from_the_smaller_dataset():
    groups = AddRemove(Real(0, 1), max_size=8, min_size=3, group=2)
    assert verify(other_answer_below_three, PureDP(2.0), groups).verdict is Verdict.VERIFIED
    assert not is_proved(other_answer_below_three, PureDP(1.0), groups)

    def visits(data, rng):
        if len(data) < 2:
            raise ValueError("too few")
        return data["x"].clip(0, 1).sum() + rng.laplace(scale=2.0)

    row = Row(user=Integer(1, 9), x=Real(0, 1))
    for users in (2, 1):
        near = AddRemove(row, unit="user", rows_per_unit=2, min_size=users)
        assert is_proved(visits, PureDP(1.0), near) == (users == 2)


def test_the_least_size_around_given_records_is_used():
    def total(data, rng):
        if len(data) < 2:
            raise ValueError("too few")
        return data["x"].clip(0, 1).sum() + rng.laplace(scale=1.0)

    frame = pd.DataFrame({"x": np.linspace(0, 1, 5)})
    for size in (2, 1):
        near = AddRemove.around(frame, Row(x=Real(0, 1)), min_size=size)
        assert is_proved(total, PureDP(1.0), near) == (size == 2)
