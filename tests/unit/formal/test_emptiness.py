"""Sums that are taken only where there are records, and are 0 where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from tests.proving import is_proved

CLAIM = PureDP(1.0)
LIST, ARRAY = AddRemove(Real(0, 20), container="list"), AddRemove(Real(0, 20))


def by_length(data, rng):
    total = np.sum(np.clip(data, 0, 5)) if len(data) > 0 else 0.0
    return total + rng.laplace(scale=5)


def by_length_in_a_branch(data, rng):
    if len(data) == 0:  # noqa: SIM108
        total = 0.0
    else:
        total = float(np.sum(np.clip(data, 0, 5)))
    return total + rng.laplace(scale=5)


def by_length_after_a_start(data, rng):
    total = 0.0
    if len(data) >= 1:
        total = float(np.sum(np.clip(data, 0, 5)))
    return total + rng.laplace(scale=5)


def by_the_list(data, rng):
    total = 0.0 if not data else float(np.sum(np.clip(data, 0, 5)))
    return total + rng.laplace(scale=5)


SOUND = [
    (by_length, ARRAY), (by_length_in_a_branch, ARRAY), (by_length_after_a_start, ARRAY),
    (by_the_list, LIST),
]  # fmt: skip


def one_where_there_are_none(data, rng):
    total = np.sum(np.clip(data, 0, 5)) if len(data) > 0 else 9.0
    return total + rng.laplace(scale=5)


def none_where_there_is_one(data, rng):
    total = np.sum(np.clip(data, 0, 5)) if len(data) > 1 else 0.0
    return total + rng.laplace(scale=5)


def none_where_there_are_some(data, rng):
    total = 0.0 if len(data) > 0 else np.sum(np.clip(data, 0, 5))
    return [total, len(data) + rng.laplace(scale=1)]


def with_a_constant(data, rng):
    total = np.sum(np.clip(data, 0, 5)) + 9 if len(data) > 0 else 0.0
    return total + rng.laplace(scale=5)


def of_fewer_records(data, rng):
    kept = [v for v in data if v > 5]
    total = float(np.sum(np.clip(data, 0, 5))) if kept else 0.0
    return total + rng.laplace(scale=5)


def of_those_that_are_few(data, rng):
    kept = [v for v in data if v > 5]
    total = 0.0
    if len(kept) > 0:
        total = float(np.sum(np.clip(data, 0, 5)))
    return total + rng.laplace(scale=5)


def with_noise_of_its_own(data, rng):
    total = np.sum(np.clip(data, 0, 5)) + rng.laplace(scale=5) if len(data) > 0 else 0.0
    return total


def with_less_noise(data, rng):
    total = np.sum(np.clip(data, 0, 5)) if len(data) > 0 else 0.0
    return total + rng.laplace(scale=4)


def that_tells_its_type(data, rng):
    total = np.sum(np.clip(data, 0, 5)) if len(data) > 0 else 0.0
    return total + rng.laplace(scale=5), isinstance(total, np.floating)


def that_tells_a_whole_number(data, rng):
    total = np.sum(np.clip(data, 0, 5)) if len(data) > 0 else 0
    return total + rng.laplace(scale=5), isinstance(total, int)


def that_notes_it(data, rng):
    seen = []
    total = 0.0
    if len(data) > 0:
        total = float(np.sum(np.clip(data, 0, 5)))
        seen.append(1)
    return total + rng.laplace(scale=5), len(seen)


def with_a_mean(data, rng):
    total = float(np.mean(np.clip(data, 0, 5))) if len(data) > 0 else 0.0
    return total + rng.laplace(scale=2)


BROKEN = [
    (one_where_there_are_none, ARRAY), (none_where_there_are_some, ARRAY),
    (with_a_constant, ARRAY), (of_fewer_records, LIST), (of_those_that_are_few, LIST),
    (with_noise_of_its_own, ARRAY), (with_less_noise, ARRAY), (that_tells_its_type, ARRAY),
    (that_notes_it, ARRAY), (that_tells_a_whole_number, ARRAY), (with_a_mean, ARRAY),
    (none_where_there_is_one, ARRAY),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_a_sum_or_nothing_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, CLAIM, neighbors)


@pytest.mark.parametrize(("mechanism", "neighbors"), BROKEN)
def test_a_choice_that_tells_whether_there_are_records_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, CLAIM, neighbors)
