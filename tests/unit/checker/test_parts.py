"""Certificates about parts of the records, by a hash of each or by a test on their number."""

from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, ReplaceOne
from mechanisms.flawed.sample_and_aggregate_by_position import sample_and_aggregate_by_position
from mechanisms.flawed.sample_and_aggregate_fewer_parts import sample_and_aggregate_fewer_parts
from mechanisms.sample_and_aggregate import part_of, sample_and_aggregate
from tests.checking import check
from tests.unit.checker.forged import forged
from tests.unit.formal.test_parts import (
    by_two_hashes,
    overlapping_places,
    twice_in_one_part,
)

ONE = PureDP(1.0)
records = AddRemove(Real(0, 100))
ten = ReplaceOne(Real(0, 100), size=10)


def proved(mechanism, claim, neighbors):
    return check(dpaudit.verify(mechanism, claim, neighbors).certificate.to_dict())


@pytest.mark.parametrize("f", [np.max, np.min])
def test_a_proof_by_hashed_parts_is_accepted(f):
    assert proved(partial(sample_and_aggregate, f=f), ONE, records).accepted
    assert proved(partial(sample_and_aggregate, f=f, epsilon=0.5), ONE, ten).accepted


def test_a_proof_by_places_is_accepted():
    by_place = partial(sample_and_aggregate_by_position, f=np.max)
    assert proved(by_place, ONE, ten).accepted
    assert not check(forged(by_place, PureDP(0.9), ten)).accepted
    assert not check(forged(by_place, ONE, records)).accepted


def test_a_part_of_more_than_the_noise_hides_is_rejected():
    checked = check(forged(partial(sample_and_aggregate, f=np.max), PureDP(0.9), records))
    assert not checked.accepted
    assert checked.decided
    assert not check(forged(partial(sample_and_aggregate, f=np.max), ONE, ten)).accepted


def largest_without_a_test(data, rng):
    part = part_of(data, 3, 0)
    largest = np.array([data[part == j].max() for j in range(3)])
    return largest.mean() + rng.laplace(scale=100.0)


def noise_by_a_private_choice(data, rng):
    few = data[data > 50.0]
    return float(rng.laplace(scale=1.0) if len(few) else 0.0)


def released_by_a_private_choice(data, rng):
    few = data[data > 50.0]
    noisy = data.sum() + rng.laplace(scale=100.0)
    return noisy if len(few) else 0.0


def choice_with_too_little_noise(data, rng):
    few = data[data > 50.0]
    return (80.0 if len(few) else 20.0) + rng.laplace(scale=50.0)


def a_list_grows_by_a_private_choice(data, rng):
    few, seen = data[data > 50.0], []
    largest = few.max() if len(few) else seen.append(1.0)
    return len(seen) + rng.laplace(scale=1.0) + 0.0 * (largest is None)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (twice_in_one_part, records),
        (by_two_hashes, records),
        (overlapping_places, ten),
        (largest_without_a_test, records),
        (noise_by_a_private_choice, records),
        (released_by_a_private_choice, records),
        (choice_with_too_little_noise, records),
        (a_list_grows_by_a_private_choice, records),
        (partial(sample_and_aggregate_fewer_parts, f=np.max), records),
    ],
)
def test_no_certificate_of_parts_that_all_move_is_accepted(mechanism, neighbors):
    assert not check(forged(mechanism, ONE, neighbors)).accepted


def choice_of_two_numbers(data, rng):
    few = data[data > 50.0]
    return (80.0 if len(few) else 20.0) + rng.laplace(scale=60.0)


def test_a_private_choice_between_numbers_moves_across_both():
    assert proved(choice_of_two_numbers, ONE, records).accepted
