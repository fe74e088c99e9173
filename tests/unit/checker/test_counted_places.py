"""Certificates about the number of records that pass a test, counted by their places."""

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP, Real, ReplaceOne
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from mechanisms.count import count
from tests.checking import check
from tests.unit.checker.forged import forged

ONE = PureDP(1.0)
ages = AddRemove(Real(18, 91, allow_nan=True))


def older(data, rng):
    return count(np.flatnonzero(data >= 65), rng)


def not_zero(data, rng):
    return np.flatnonzero(data).size + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [
        (older, ages),
        (older, ReplaceOne(Real(18, 91), size=7)),
        (not_zero, AddRemove(Integer(-3, 3))),
        (not_zero, AddRemove(Real(-1, 1))),
    ],
)
def test_a_count_of_places_is_proved_and_its_certificate_accepted(mechanism, neighbors):
    subject = Subject.of(mechanism)
    program = lift(subject)
    proof = prove_by_cost(program, ONE, neighbors)
    assert proof.conclusion.spent == "1"
    assert check(certificate_of(subject, ONE, neighbors, program, proof).to_dict()).accepted


def first_place(data, rng):
    return np.flatnonzero(data >= 65)[0] + rng.laplace(scale=100.0)


def sum_of_places(data, rng):
    return np.flatnonzero(data >= 65).sum() + rng.laplace(scale=100.0)


def the_places(data, rng):
    return np.flatnonzero(data >= 65)


def two_counts(data, rng):
    return count(np.flatnonzero(data >= 65), rng), count(np.flatnonzero(data >= 30), rng)


@pytest.mark.parametrize("mechanism", [first_place, sum_of_places, the_places, two_counts])
def test_places_themselves_are_private(mechanism):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(mechanism), ONE, ages)
    assert not check(forged(mechanism, ONE, ages)).accepted
