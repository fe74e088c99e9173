"""Values of disjoint parts of the records, of which a record changes one, or two where it moves."""

from functools import partial

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, Integer, PureDP, Real, ReplaceOne, Verdict
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.sample_and_aggregate_by_position import sample_and_aggregate_by_position
from mechanisms.flawed.sample_and_aggregate_fewer_parts import sample_and_aggregate_fewer_parts
from mechanisms.sample_and_aggregate import part_of, sample_and_aggregate
from tests.proving import is_proved

records = AddRemove(Real(0, 100))
ten = ReplaceOne(Real(0, 100), size=10)
least = partial(sample_and_aggregate, f=np.min)


def spent(mechanism, neighbors, claim=10.0):
    return prove_by_cost(lift(mechanism), PureDP(claim), neighbors).conclusion.spent


@pytest.mark.parametrize(("f", "cost"), [(np.max, "1"), (np.min, "1"), (np.median, "1")])
def test_one_part_of_five_moves_where_a_record_comes(f, cost):
    assert spent(partial(sample_and_aggregate, f=f), records) == cost


def test_two_parts_move_where_a_record_is_replaced_by_one_that_is_elsewhere():
    assert spent(least, ten) == "2"
    assert spent(partial(least, epsilon=0.25), ReplaceOne(Real(0, 100), size=10, group=2)) == "1"


@pytest.mark.parametrize(
    "mechanism",
    [partial(sample_and_aggregate_by_position, f=np.max), sample_and_aggregate_fewer_parts],
)
def test_flawed_parts_are_refuted(mechanism):
    report = dpaudit.verify(mechanism, PureDP(1.0), AddRemove(Real(0, 100), max_size=10))
    assert report.verdict is Verdict.REFUTED


def twice_in_one_part(data, rng):
    part = part_of(data, 3, 0)
    sizes = np.array([len(data[part == j]) for j in (1, 1)])
    return sizes + rng.laplace(scale=1.0, size=2)


def by_two_hashes(data, rng):
    one, other = part_of(data, 2, 0), part_of(data, 2, 7)
    sizes = np.array([len(data[one == 0]), len(data[other == 1])])
    return sizes + rng.laplace(scale=1.0, size=2)


def overlapping_places(data, rng):
    ends = np.array([data[[0, 1]].max(), data[[1, 2]].max()])
    return ends + rng.laplace(scale=100.0, size=2)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (twice_in_one_part, records),
        (by_two_hashes, records),
        (overlapping_places, ten),
    ],
)
def test_parts_that_overlap_all_move(mechanism, neighbors):
    assert spent(mechanism, neighbors) == "2"


def sizes_of_two(data, rng, *, one, other, epsilon):
    sizes = np.array([len(data[data == one]), len(data[data == other])])
    return sizes + rng.laplace(scale=1 / epsilon, size=2)


def test_parts_by_parameters_without_a_value_may_be_the_same():
    assert not is_proved(sizes_of_two, "PureDP(epsilon)", AddRemove(Integer(0, 100)))
    fixed = partial(sizes_of_two, one=1, other=2)
    assert dpaudit.verify(fixed, "PureDP(epsilon)", AddRemove(Integer(0, 100))).verdict


def test_a_part_that_may_be_empty_has_no_largest_record():
    def without_a_test(data, rng):
        part = part_of(data, 3, 0)
        largest = np.array([data[part == j].max() for j in range(3)])
        return largest + rng.laplace(scale=100.0, size=3)

    with pytest.raises(Unsupported):
        spent(without_a_test, records)
