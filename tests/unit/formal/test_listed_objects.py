"""Lists of frozen records of the module are gone through, if nothing changes them."""

import types

import pytest

from dpaudit import AddRemove, Integer, PureDP, Verdict, verify
from tests.proving import is_proved
from tests.unit.formal import listed_objects

AGES = AddRemove(Integer(0, 120), max_size=8)
EVERY = [
    f
    for f in vars(listed_objects).values()
    if isinstance(f, types.FunctionType) and f.__code__.co_varnames[:1] == ("data",)
]
SOUND = [f for f in EVERY if f.__name__.startswith("sound")]
TWINS = [f for f in EVERY if f not in SOUND]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", SOUND, ids=named)
def test_frozen_records_of_the_module_are_seen_through(mechanism):
    report = verify(mechanism, PureDP(1.0), AGES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked


@pytest.mark.parametrize("mechanism", TWINS, ids=named)
def test_records_that_change_or_cost_more_are_not_proved(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), AGES)


def test_there_are_as_many_as_are_written():
    assert (len(SOUND), len(TWINS)) == (3, 5)
