"""Objects that a mechanism makes: proofs see through them, and take them for no more."""

import types

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Verdict, verify
from tests.sweeps import sampled
from tests.unit.formal import configuration_programs, held_programs, object_programs, object_twins

VALUES = AddRemove(Real(0, 100), max_size=8)
ONE = PureDP(np.nextafter(1.0, 2))
REFUTED = {"twice_the_budget", "changed_parameters", "two_names_of_parameters", "count_beside"}


def mechanisms(module):
    of = [value for value in vars(module).values() if isinstance(value, types.FunctionType)]
    first = [f for f in of if f.__module__ == module.__name__]
    return [f for f in first if f.__code__.co_varnames[:1] == ("data",)]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", sampled(mechanisms(object_programs), 2), ids=named)
def test_objects_that_are_made_inside_are_seen_through(mechanism):
    report = verify(mechanism, ONE, VALUES)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked


@pytest.mark.parametrize("mechanism", mechanisms(object_twins), ids=named)
def test_objects_that_leak_or_are_more_than_their_attributes_are_not_proved(mechanism):
    report = verify(mechanism, ONE, VALUES)
    assert report.verdict is not Verdict.VERIFIED
    if mechanism.__name__ in REFUTED:
        assert report.verdict is Verdict.REFUTED, report.reason


BOTH = mechanisms(configuration_programs) + mechanisms(held_programs)


@pytest.mark.parametrize("mechanism", BOTH, ids=named)
def test_objects_that_exist_or_are_held_are_seen_through_with_what_they_compute(mechanism):
    report = verify(mechanism, ONE, VALUES)
    sound = mechanism.__name__.startswith("sound")
    assert (report.verdict is Verdict.VERIFIED) is sound, report.reason


def test_there_are_as_many_as_are_written():
    assert len(mechanisms(object_programs)) == 12
    assert len(mechanisms(object_twins)) == 24
