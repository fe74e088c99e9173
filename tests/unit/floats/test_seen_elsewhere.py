"""Lists, arrays and dicts that change where functions and views see them, in the float analysis."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift

RECORDS = AddRemove(Real(0, 9), max_size=1000)
HUGE = 1e17  # beside which floats make 16 of 9


def bounds(mechanism):
    return float_bounds(to_dict(lift(mechanism)), PureDP(1.01), RECORDS, "cost")


def sum_of(log):
    return lambda: sum(log)


def sum_of_values(counts):
    return lambda: sum(counts.values())


def grown(log, n):
    if n > 300:
        log.append(HUGE)
    return n


def made_longer_by_a_function(data, rng):
    log = [0.0]
    peek = sum_of(log)
    n = grown(log, len(data) + rng.laplace(scale=2.0))
    return n, peek() + data.sum() + rng.laplace(scale=18.0)


def made_longer_on_a_path(data, rng):
    log = [0.0]
    peek = sum_of(log)
    n = len(data) + rng.laplace(scale=2.0)
    if n > 300:
        log.append(HUGE)
    return n, peek() + data.sum() + rng.laplace(scale=18.0)


def an_array_that_changes(data, rng):
    log = np.zeros(1)
    peek = sum_of(log)
    n = len(data) + rng.laplace(scale=2.0)
    if n > 300:
        log[0] = HUGE
    return n, peek() + data.sum() + rng.laplace(scale=18.0)


def a_dict_that_changes(data, rng):
    counts = {"a": 0.0}
    peek = sum_of_values(counts)
    n = len(data) + rng.laplace(scale=2.0)
    if n > 300:
        counts["a"] = HUGE
    return n, peek() + data.sum() + rng.laplace(scale=18.0)


def a_view_of_values(data, rng):
    counts = {"a": 0.0}
    values = counts.values()
    counts["a"] = HUGE
    return sum(values) + data.sum() + rng.laplace(scale=9.0)


def a_view_of_items(data, rng):
    counts = {"a": 0.0}
    items = counts.items()
    counts["b"] = HUGE
    return sum([value for _, value in items]) + data.sum() + rng.laplace(scale=9.0)


def of_a_list_that_stays(data, rng):
    log, counts = [1.0], {"a": 1.0, "b": 2.0}
    for key, value in counts.items():
        counts[key] = value + 1
    peek, other = sum_of(log), [2.0]
    other.append(3.0)
    return sum(other) + sum(counts.values()) + peek() + data.sum() + rng.laplace(scale=9.0)


def test_a_list_that_nothing_changes_may_be_seen_by_functions():
    bounds(of_a_list_that_stays)


@pytest.mark.parametrize(
    "mechanism",
    [
        made_longer_by_a_function,
        made_longer_on_a_path,
        an_array_that_changes,
        a_dict_that_changes,
        a_view_of_values,
        a_view_of_items,
    ],
)
def test_what_functions_and_views_see_is_what_is_there_later(mechanism):
    with pytest.raises(Refused, match="changed"):
        bounds(mechanism)


def one_entry_many_times(data, rng):
    large = np.full(2, 1e13)
    return np.take(large, [0] * 5000).sum() + data.sum() + rng.laplace(scale=9.0)


def one_column_many_times(data, rng):
    large = np.full((2, 2), 1e13)
    return large[:, [0] * 5000].sum() + data.sum() + rng.laplace(scale=9.0)


@pytest.mark.parametrize("mechanism", [one_entry_many_times, one_column_many_times])
def test_an_entry_that_is_taken_many_times_is_added_as_often(mechanism):
    with pytest.raises(Refused, match="rounding"):
        bounds(mechanism)
