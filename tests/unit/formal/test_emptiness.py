"""Sums that are taken only where there are records, and are 0 where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Row
from tests.proving import is_proved

CLAIM = PureDP(1.0)
FRAME = AddRemove(Row(x=Real(0, 20)), container="pandas")
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


def early(data, rng):
    if len(data) == 0:
        return 0.0 + rng.laplace(scale=5)
    clipped = np.clip(data, 0, 5)
    return clipped.sum() + rng.laplace(scale=5)


def early_by_size(data, rng):
    if data.size == 0:
        return rng.laplace(scale=1)
    return np.count_nonzero(data > 5) + rng.laplace(scale=1)


def early_with_noise_drawn_before(data, rng):
    noise = rng.laplace(scale=5)
    if not data:
        return noise
    return sum(min(max(v, 0), 5) for v in data) + noise


def early_otherwise(data, rng):
    if len(data) > 0:
        total = sum(min(max(v, 0), 5) for v in data)
        return total + rng.laplace(scale=5)
    return rng.laplace(scale=5)


def early_of_a_count(data, rng):
    if len(data) < 1:
        return 0.0 + rng.laplace(scale=1)
    return len(data) + rng.laplace(scale=1)


def early_of_a_frame(data, rng):
    if data.empty:
        return rng.laplace(scale=1)
    return len(data) + rng.laplace(scale=1)


SOUND = [
    (by_length, ARRAY), (by_length_in_a_branch, ARRAY), (by_length_after_a_start, ARRAY),
    (by_the_list, LIST), (early, ARRAY), (early_by_size, ARRAY),
    (early_with_noise_drawn_before, LIST), (early_otherwise, LIST), (early_of_a_count, ARRAY),
    (early_of_a_frame, FRAME),
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


def of_a_count_and_a_constant(data, rng):
    count = len(data) + 3 if len(data) > 0 else 0
    return count + rng.laplace(scale=1)


def of_a_count_or_more(data, rng):
    count = max(len(data), 4) if len(data) > 0 else 0
    return count + rng.laplace(scale=1)


def of_a_count_many_times(data, rng):
    count = 3 * len(data) if len(data) > 0 else 0
    return count + rng.laplace(scale=1)


def of_half_a_count(data, rng):
    count = (len(data) + 5) // 2 if len(data) > 0 else 0
    return count + rng.laplace(scale=1)


def of_the_count_of_others(data, rng):
    kept = data[data > 5]
    count = len(data) if len(kept) > 0 else 0
    return count + rng.laplace(scale=1)


def early_with_other_noise(data, rng):
    if len(data) == 0:
        return rng.laplace(scale=4)
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=5)


def early_without_noise(data, rng):
    noise = rng.laplace(scale=5)
    if len(data) == 0:
        return 0.0
    return np.clip(data, 0, 5).sum() + noise


def early_with_one_more(data, rng):
    if len(data) == 0:
        return -1 + rng.laplace(scale=1)
    return len(data) + rng.laplace(scale=1)


def early_of_a_mean(data, rng):
    if len(data) == 0:
        return 0.0 + rng.laplace(scale=2)
    return np.clip(data, 0, 5).mean() + rng.laplace(scale=2)


def early_with_the_scale_of_the_data(data, rng):
    scale = 5.0
    if len(data) == 0:
        return rng.laplace(scale=scale)
    scale = 5.0 / len(data)
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=scale)


def early_that_raises_later(data, rng):
    if len(data) == 0:
        return rng.laplace(scale=5)
    least = min(data)
    if least > 5:
        raise ValueError("none is small")
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=5)


def early_that_notes_it(data, rng):
    seen, noise = [], rng.laplace(scale=5)
    if len(data) == 0:
        return noise, 0
    seen.append(1)
    return np.clip(data, 0, 5).sum() + noise, len(seen)


def early_that_draws_no_number(data, rng):
    noise = rng.geometric(0.2) - rng.geometric(0.2)
    if len(data) == 0:
        return 0.0 + noise
    return len(data) + noise


def early_of_an_array(data, rng):
    if not data:
        return rng.laplace(scale=5)
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=5)


def early_of_no_columns(data, rng):
    if data[[]].empty:
        return rng.laplace(scale=1)
    return len(data) + rng.laplace(scale=0.5)


def early_of_one_half(data, rng):
    kept = data[data > 5]
    if kept.size == 0:
        return rng.laplace(scale=5)
    return np.clip(data, 0, 5).sum() + rng.laplace(scale=5)


BROKEN = [
    (one_where_there_are_none, ARRAY), (none_where_there_are_some, ARRAY),
    (with_a_constant, ARRAY), (of_fewer_records, LIST), (of_those_that_are_few, LIST),
    (with_noise_of_its_own, ARRAY), (with_less_noise, ARRAY), (that_tells_its_type, ARRAY),
    (that_notes_it, ARRAY), (that_tells_a_whole_number, ARRAY), (with_a_mean, ARRAY),
    (none_where_there_is_one, ARRAY), (early_with_other_noise, ARRAY),
    (of_a_count_and_a_constant, ARRAY), (of_a_count_or_more, ARRAY), (of_half_a_count, ARRAY),
    (of_the_count_of_others, ARRAY), (of_a_count_many_times, ARRAY),
    (early_without_noise, ARRAY), (early_with_one_more, ARRAY), (early_of_a_mean, ARRAY),
    (early_with_the_scale_of_the_data, ARRAY), (early_that_raises_later, ARRAY),
    (early_that_notes_it, ARRAY), (early_that_draws_no_number, ARRAY), (early_of_an_array, ARRAY),
    (early_of_no_columns, FRAME), (early_of_one_half, ARRAY),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_a_sum_or_nothing_is_proved(mechanism, neighbors):
    assert is_proved(mechanism, CLAIM, neighbors)


@pytest.mark.parametrize(("mechanism", "neighbors"), BROKEN)
def test_a_choice_that_tells_whether_there_are_records_is_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, CLAIM, neighbors)
