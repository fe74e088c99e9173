"""Displays of objects, context managers of the user's, and best items: seen through, no further."""

import types

import pytest

from dpaudit import AddRemove, Integer, PureDP, Verdict, verify
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal import gone_through_programs

AGES = AddRemove(Integer(0, 120), max_size=8)
OVERLAPPING = {"sound_best_key_alone": PureDP(2.0), "value_of_queries_that_overlap": PureDP(1.0)}
EVERY = [
    f
    for f in vars(gone_through_programs).values()
    if isinstance(f, types.FunctionType) and f.__code__.co_varnames[:1] == ("data",)
]
SOUND = [f for f in EVERY if f.__name__.startswith("sound")]
TWINS = [f for f in EVERY if f not in SOUND]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", sampled(SOUND, 4), ids=named)
def test_what_is_gone_through_or_entered_is_seen_through(mechanism):
    report = verify(mechanism, OVERLAPPING.get(mechanism.__name__, PureDP(1.0)), AGES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked


@pytest.mark.parametrize("mechanism", sampled(TWINS, 4), ids=named)
def test_twins_that_leak_or_mean_something_else_are_not_proved(mechanism):
    claim = OVERLAPPING.get(mechanism.__name__, PureDP(1.0))
    assert not is_proved(mechanism, claim, AGES)


def test_there_are_as_many_as_are_written():
    assert (len(SOUND), len(TWINS)) == (19, 27)
