"""Lengths of lists and tests of types in the float analysis: the same in both runs, or private."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpaudit import AddRemove, GaussianDP, Integer, PureDP, Real, ReplaceOne, Row
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from tests.proving import is_proved

FIVE = ReplaceOne(Real(0, 10), size=5)
HUGE = 1e17  # beside which floats lose a count


def rounded_count(count, rng):
    return ((count + HUGE) - HUGE) + rng.laplace(0, 1)


def length_of_a_filtered_list(data, rng):
    return rounded_count(len([x for x in data if x > 3]), rng)


def length_of_a_filter(data, rng):
    return rounded_count(len(list(filter(lambda x: x > 3, data))), rng)


def lengths_of_lists_of_one_or_none(data, rng):
    count = 0
    for x in data:
        chosen = [x] if x > 3 else []
        count += len(chosen)
    return rounded_count(count, rng)


def lengths_of_lists_that_grow(data, rng):
    count = 0
    for x in data:
        chosen = []
        if x > 3:
            chosen.append(x)
        count += len(chosen)
    return rounded_count(count, rng)


def types_that_records_tell(data, rng):
    count = 0
    for x in data:
        held = [x] if x > 3 else x
        if isinstance(held, list):
            count += 1
    return rounded_count(count, rng)


def type_of(held):
    return 1 if isinstance(held, list) else 0


def types_that_records_tell_a_function(data, rng):
    return rounded_count(type_of(3.0) + sum(type_of([x] if x > 3 else x) for x in data), rng)


@pytest.mark.parametrize(
    "mechanism",
    [
        length_of_a_filtered_list,
        length_of_a_filter,
        lengths_of_lists_of_one_or_none,
        lengths_of_lists_that_grow,
        types_that_records_tell,
        types_that_records_tell_a_function,
    ],
)
def test_a_count_that_records_tell_is_rounded_as_any_private_number(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), FIVE)


def shortened(gradient):
    norm = np.linalg.norm(gradient)
    if norm > 1.0:
        return gradient * (1.0 / norm)
    return gradient


def mean_of_short_gradients(data, rng):
    gradients = [np.array([row["a"], row["b"]]) for row in data]
    short = [shortened(gradient) for gradient in gradients]
    total = np.sum(short, axis=0) + rng.normal(0, 4.0, size=2)
    return total / len(short)


def mean_of_some_gradients(data, rng):
    gradients = [np.array([row["a"], row["b"]]) for row in data]
    short = [shortened(gradient) for gradient in gradients if gradient[0] > 0]
    total = np.sum(short, axis=0) + rng.normal(0, 4.0, size=2)
    return total / len(short)


def test_a_list_with_an_entry_for_each_record_has_a_public_length_where_their_number_is():
    pairs = Row(a=Real(-5, 5), b=Real(-5, 5))
    four = ReplaceOne(pairs, size=4, container="list")
    claim = GaussianDP(0.5 + 1e-9)
    assert is_proved(mean_of_short_gradients, claim, four)
    assert not is_proved(mean_of_some_gradients, claim, four)
    added = AddRemove(pairs, max_size=4, container="list")
    assert not is_proved(mean_of_short_gradients, claim, added)


def noisy(value, scale, rng):
    if isinstance(value, np.ndarray):
        noise = rng.laplace(0, scale, value.shape)
    else:
        noise = rng.laplace(0, scale)
    return value + noise


def mean_of_two_answers(data, rng):
    total = noisy(np.sum(data), 20, rng)
    count = max(0, int(np.round(noisy(len(data), 2, rng))))
    return total / count if count > 0 else 5.0


def mean_with_half_the_noise(data, rng):
    total = noisy(np.sum(data), 10, rng)
    count = max(0, int(np.round(noisy(len(data), 2, rng))))
    return total / count if count > 0 else 5.0


def test_a_test_of_a_type_outside_of_loops_comes_out_alike_in_both_runs():
    some = AddRemove(Real(0, 10), max_size=6)
    assert is_proved(mean_of_two_answers, PureDP(1.0), some)
    assert not is_proved(mean_with_half_the_noise, PureDP(1.0), some)


def shares_of_noisy_counts(data, rng):
    counts = {0: 0, 1: 0, 2: 0, 3: 0, 4: 0}
    for value in data:
        counts[value] += 1
    noisy_counts = {key: max(0, round(count + rng.laplace())) for key, count in counts.items()}
    total = sum(noisy_counts.values())
    return [count / total if total else 0 for count in noisy_counts.values()]


def shares_by_a_helper(data, rng):
    def noisy_count(count):
        return max(0.0, count + rng.laplace())

    counts = [0] * 5
    for value in data:
        counts[value] += 1
    noisy_counts = [noisy_count(count) for count in counts]
    total = sum(noisy_counts)
    return [count / total if total else 0 for count in noisy_counts]


@pytest.mark.parametrize("mechanism", [shares_of_noisy_counts, shares_by_a_helper])
def test_shares_of_noisy_counts_are_public_as_the_counts_are(mechanism):
    few = AddRemove(Integer(0, 4), max_size=6)
    assert is_proved(mechanism, PureDP(1.0), few)
    assert not is_proved(mechanism, PureDP(0.5), few)


def noise_that_no_record_draws(data, rng):
    count = 0
    for x in data:
        if isinstance(x, str):
            count += rng.laplace()
        count += 1
    return rounded_count(count, rng)


def noise_after_all_records_left(data, rng):
    count = 0
    for x in data:
        if x >= 0:
            count += 1
            continue
        count += rng.laplace()
    return rounded_count(count, rng)


def noise_that_is_never_asked_for(data, rng):
    return rounded_count(sum([1 for x in data if x >= 0 or rng.laplace() > 0]), rng)


def noise_of_an_earlier_draw(data, rng):
    noise = rng.laplace()
    return rounded_count(len([noise for _ in data]), rng)


def noise_for_each_record(data, rng):
    return rounded_count(len([rng.laplace() for _ in data]), rng)


@pytest.mark.parametrize(
    "mechanism",
    [
        noise_that_no_record_draws,
        noise_after_all_records_left,
        noise_that_is_never_asked_for,
        noise_of_an_earlier_draw,
        noise_for_each_record,
    ],
)
def test_rounds_that_records_tell_stay_private_beside_noise(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), AddRemove(Real(0, 10), max_size=6))


def a_set_of_equal_numbers(data, rng):
    k = 1e17 if len({1}) == 1 else 0.0
    return (len(data) + k) - k + rng.laplace(scale=1.0)


def a_set_that_a_list_is_made_to(data, rng):
    k = 1e17 if len(set([1, 1, 1])) == 1 else 0.0  # noqa: C405 - the call is tried
    return (len(data) + k) - k + rng.laplace(scale=1.0)


def entries_that_differ(data, rng):
    k = (2 - len(np.unique(np.array([1, 1])))) * 1e17
    return (len(data) + k) - k + rng.laplace(scale=1.0)


def the_first_entries(data, rng):
    k = 1e17 if len(pd.Series([1, 1]).drop_duplicates()) == 1 else 0.0
    return (len(data) + k) - k + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    "mechanism",
    [a_set_of_equal_numbers, a_set_that_a_list_is_made_to, entries_that_differ, the_first_entries],
)
def test_a_set_has_no_more_items_than_are_told_apart(mechanism):
    with pytest.raises(Refused):
        float_bounds(to_dict(lift(mechanism)), PureDP(1.0), AddRemove(Real(0, 1)), "cost")


def a_list_that_is_repeated(data, rng):
    k = 0.0
    for digit in [1.0] * 18:
        k = k * 10 + digit
    return (len(data) + k) - k + rng.laplace(scale=1.0)


def a_range_of_large_numbers(data, rng):
    k = sum(range(10**17, 10**17 + 2))
    return (len(data) + float(k)) - float(k) + rng.laplace(scale=1.0)


def a_test_of_large_numbers(data, rng):
    k = 1e17 if 10**17 + 1 > 10**17 else 0.0
    return (len(data) + k) - k + rng.laplace(scale=1.0)


def places_from_a_large_number_on(data, rng):
    k = 0.0
    for place, _ in enumerate([1.0, 1.0], start=10**17):
        k += place
    return (len(data) + k) - k + rng.laplace(scale=1.0)


def a_tuple_that_another_name_keeps(data, rng):
    kept = (HUGE,)
    added = kept
    added += (0.0,)
    return (len(data) + kept[-1]) - kept[-1] + rng.laplace(scale=1.0)


def a_tuple_that_a_caller_keeps(data, rng):
    def grown(values):
        values += (0.0,)
        return values

    kept = (HUGE,)
    grown(kept)
    return (len(data) + kept[-1]) - kept[-1] + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        a_list_that_is_repeated,
        a_range_of_large_numbers,
        a_test_of_large_numbers,
        places_from_a_large_number_on,
        a_tuple_that_another_name_keeps,
        a_tuple_that_a_caller_keeps,
    ],
)
def test_large_constants_are_not_lost(mechanism):
    with pytest.raises(Refused):
        float_bounds(to_dict(lift(mechanism)), PureDP(1.0), AddRemove(Real(0, 1)), "cost")


def a_list_that_grows(data, rng):
    kept = [0.0]
    kept += [1.0]
    return len(data) + kept[-1] + rng.laplace(scale=1.0)


def places_from_one_on(data, rng):
    k = 0.0
    for place, _ in enumerate([1.0, 1.0], start=1):
        k += place
    return len(data) + k + rng.laplace(scale=1.0)


@pytest.mark.parametrize("mechanism", [a_list_that_grows, places_from_one_on])
def test_small_constants_are_proved(mechanism):
    assert is_proved(mechanism, PureDP(1.0), AddRemove(Real(0, 1)))
