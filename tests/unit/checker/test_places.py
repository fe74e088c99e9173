"""Records by their place: the replaced one is at any of them, each a path of its own."""

from functools import partial

import numpy as np
import pytest

from dpaudit import AddRemove, GaussianDP, Integer, PureDP, Real, ReplaceOne
from mechanisms.flawed.secure_aggregation_all_shares import secure_aggregation_all_shares
from mechanisms.secure_aggregation import secure_aggregation
from tests.checking import check
from tests.proving import is_proved
from tests.unit.checker.forged import forged

SIX = ReplaceOne(Real(0, 1), size=6)
ONE = PureDP(1.0)


def of_some(values, rng, *, scale=1.0, at=(0, 2, 5)):
    return float(values[list(at)].sum()) + rng.laplace(scale=scale)


def in_parts(values, rng, *, scale=1.0):
    first, second = values[[0, 1, 2]].sum(), values[[3, 4]].sum()
    return first + rng.laplace(scale=scale), second + rng.laplace(scale=scale)


def overlapping(values, rng):
    first, second = values[[0, 1, 2]].sum(), values[[2, 3]].sum()
    return first + rng.laplace(scale=1.0), second + rng.laplace(scale=1.0)


def twice_the_same(values, rng):
    return float(values[[0, 0, 1]].sum()) + rng.laplace(scale=1.0)


def the_first(values, rng, *, factor=1.0):
    return factor * values[0] - values[-1] + rng.laplace(scale=1.0)


def as_it_is(values, rng):
    return values[3]


def chosen_by_data(values, rng):
    return float(values[[int(values[0] > 0.5)]].sum()) + rng.laplace(scale=1.0)


def shares(values, rng, *, scale=0.5):
    noise = rng.normal(scale=scale, size=4)
    return float((values[[0, 1, 2, 3]] + noise).sum())


def shares_each(values, rng):
    return values[[0, 1, 2, 3]] + rng.normal(scale=0.5, size=4)


def shares_of_fewer(values, rng):
    return float((values[[0, 1, 2, 3]] + rng.normal(scale=0.5, size=3)).sum())


@pytest.mark.parametrize(
    "mechanism",
    [of_some, in_parts, the_first, partial(of_some, at=(-1, 0))],
)
def test_records_at_public_places_cost_what_the_replaced_one_adds(mechanism):
    result = check(forged(mechanism, ONE, SIX))
    assert result.accepted, result.reason


@pytest.mark.parametrize(
    "mechanism",
    [
        partial(of_some, scale=0.99),
        partial(in_parts, scale=0.99),
        overlapping,
        twice_the_same,
        partial(of_some, at=(0, -6)),
        partial(of_some, at=(6,)),
        partial(the_first, factor=1.1),
        as_it_is,
        chosen_by_data,
    ],
)
def test_what_costs_more_is_not_accepted(mechanism):
    assert not check(forged(mechanism, ONE, SIX)).accepted


@pytest.mark.parametrize(
    "neighbors",
    [
        AddRemove(Real(0, 1), max_size=6),  # whose places move
        ReplaceOne(Real(0, 1), size=6, group=2),
        ReplaceOne(Real(0, 1), size=300),
        ReplaceOne(Real(0, 1, allow_nan=True), size=6),
    ],
)
def test_places_of_other_neighbors_are_not_checked(neighbors):
    assert not check(forged(of_some, ONE, neighbors)).accepted


def test_noise_in_shares_is_that_of_their_sum():
    assert check(forged(shares, GaussianDP(1.0), SIX)).accepted
    assert not check(forged(partial(shares, scale=0.49), GaussianDP(1.0), SIX)).accepted
    assert check(forged(secure_aggregation, GaussianDP(1.0), SIX)).accepted
    for wrong in (shares_each, shares_of_fewer, secure_aggregation_all_shares):
        assert not check(forged(wrong, GaussianDP(1.0), SIX)).accepted


@pytest.mark.parametrize("seed", range(15))
def test_no_less_noise_is_accepted_than_some_replaced_record_needs(seed):
    rng = np.random.default_rng(seed)
    at = tuple(rng.permutation(6)[: rng.integers(1, 6)].tolist())
    moved = 0.0
    for place in range(6):
        values = rng.random(6)
        other = values.copy()
        values[place], other[place] = 0.0, 1.0
        moved = max(moved, abs(values[list(at)].sum() - other[list(at)].sum()))
    assert moved == pytest.approx(1.0)
    assert not check(forged(partial(of_some, at=at, scale=0.99 * moved), ONE, SIX)).accepted
    assert check(forged(partial(of_some, at=at, scale=1.0), ONE, SIX)).accepted


def of_bits(values, rng, *, scale=1.0):
    ones = [1 if x else 0 for x in values[:3]]
    low = (1 if values[0] >= 1 else 0) + (1 if values[3] >= 1 else 0)
    return ones[0] + low + rng.laplace(scale=scale)


def running(values, rng, *, scale=3.0):
    found, node = [], 0
    for t, x in enumerate(values, start=1):
        i = 0
        while not (t >> i) & 1:
            i += 1
        node = (node if i else 0) + (1 if x else 0)
        found.append(node + rng.laplace(scale=scale))
    return found


def of_a_shifted_bit(values, rng):
    return (int(values[0]) << 1) + rng.laplace(scale=1.0)


def not_a_number(values, rng):
    return (1 if not values[0] else 0) + (1 if not values[1] else 0) + rng.laplace(scale=1.0)


def not_a_sum(values, rng):
    return 1 if not values.sum() else rng.laplace(scale=1.0)


BITS = ReplaceOne(Integer(0, 1), size=4)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [(partial(of_bits, scale=2.0), ONE), (running, ONE), (not_a_number, ONE)],
)
def test_tests_of_records_at_their_places_are_followed(mechanism, claim):
    assert is_proved(mechanism, claim, BITS)


@pytest.mark.parametrize(
    "mechanism", [of_bits, partial(running, scale=1.9), of_a_shifted_bit, not_a_sum]
)
def test_tests_of_records_at_their_places_cost_what_they_tell(mechanism):
    assert not is_proved(mechanism, ONE, BITS)
