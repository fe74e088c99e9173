"""Numbers that may be NumPy's in one run and Python's in the other, in proofs by cost."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real
from dpaudit.formal.clock import now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

FEW = AddRemove(Integer(0, 4), max_size=6)
REALS = AddRemove(Real(0, 10), max_size=6)


def is_cheap(mechanism, neighbors, epsilon=1.0):
    """Return whether there is a proof by cost."""
    try:
        prove_by_cost(lift(mechanism), PureDP(epsilon), neighbors, deadline=now() + 300)
    except Unsupported:
        return False
    return True


def rounded_counts(data, rng):
    counts = dict.fromkeys(range(5), 0)
    for value in data:
        counts[value] += 1
    return {key: max(0, round(count + rng.laplace(0, 1))) for key, count in counts.items()}


def median_by_ranks(data, rng):
    counts = Counter(data)
    rank, utility = -len(data), np.zeros(4)
    for at in range(4):
        rank += counts[at] + counts[at + 1]
        utility[at] = -abs(rank)
    return int(np.argmax(utility + rng.laplace(0, 2, 4)))


def balance_before_the_noise(data, rng):
    scores = [-abs(sum(v < c for v in data) - sum(v > c for v in data)) for c in range(3)]
    return int(np.argmax(np.array(scores) + rng.laplace(0, 2, 3)))


@pytest.mark.parametrize("mechanism", [rounded_counts, median_by_ranks, balance_before_the_noise])
def test_counts_of_records_are_rounded_and_added_whatever_their_types(mechanism):
    assert is_cheap(mechanism, FEW)
    assert not is_cheap(mechanism, FEW, epsilon=0.5)


def counts_in_a_text(data, rng):
    total = 0
    for value in data:
        total += 1 if value > 3 else value
    return str([total + rng.laplace(0, 10)])


def counts_rounded_to_decimals(data, rng):
    total = 0
    for value in data:
        total += 1 if value > 3 else value
    return round(total + rng.laplace(0, 10), 2)


def truth_that_becomes_a_number(data, rng):
    total = True
    for value in data:
        total += 1 if value > 3 else 0
    return str([total]) if len(data) < 0 else str([total * 0])


def product_too_large_for_numpy(data, rng):
    score = sum(v < 2 for v in data) * 2**70
    return float(score / 2**70 + rng.laplace(0, 1))


def sum_too_large_for_numpy(data, rng):
    score = sum(v < 2 for v in data) + 2**63
    return float(score - 2**63 + rng.laplace(0, 1))


@pytest.mark.parametrize(
    "mechanism",
    [
        counts_in_a_text,
        counts_rounded_to_decimals,
        truth_that_becomes_a_number,
        product_too_large_for_numpy,
        sum_too_large_for_numpy,
    ],
)
def test_what_tells_the_type_of_a_number_is_refused(mechanism):
    assert not is_cheap(mechanism, REALS)


def largest_integer_or_a_half(data, rng):
    return data.max(initial=0.5) + rng.laplace(scale=2.5)


def largest_floor_or_a_half(data, rng):
    return np.floor(data).max(initial=0.5) + rng.laplace(scale=2.5)


@pytest.mark.parametrize("mechanism", [largest_integer_or_a_half, largest_floor_or_a_half])
def test_an_initial_half_is_cut_where_the_others_are_integers(mechanism):
    assert not is_cheap(mechanism, AddRemove(Integer(-2, 3)))
    assert is_cheap(mechanism, AddRemove(Real(-2, 3)))
