"""The search for telling pairs: what mutations reach that proposals do not hold."""

from functools import partial

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.subject import Subject
from dpaudit.trace.record import Bench
from dpaudit.trace.replay import Allowance
from dpaudit.trace.search import MOST_COSTLY, search
from mechanisms.flawed.sample_and_aggregate_by_position import sample_and_aggregate_by_position

NEIGHBORS = AddRemove(Real(0, 100), max_size=16)


def searched(seed, *, pairs=200):
    mechanism = partial(sample_and_aggregate_by_position, f=np.max, parts=5)
    key = (seed, 2**30)
    rng = np.random.default_rng(key)
    allowance = Allowance.of(PureDP(1.0))
    with Bench(Subject.of(mechanism), None) as bench:
        return search(
            bench,
            NEIGHBORS,
            allowance,
            rng,
            key,
            max_calls=4_000,
            max_pairs=pairs,
            max_seconds=None,
        )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_runs_of_records_that_change_parts_are_found(seed):
    """Without runs, one of these three seeds finds such a pair."""
    found = searched(seed)
    assert found.share > 1.2
    assert found.pairs < 200


def test_pairs_that_cost_most_alike_are_kept_and_are_neighbors():
    found = searched(0, pairs=60)
    assert 1 <= len(found.costly) <= MOST_COSTLY
    assert all(NEIGHBORS.contains(pair) for pair in found.costly)
