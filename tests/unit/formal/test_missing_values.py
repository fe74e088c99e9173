"""Missing values of frames, and functions of each value: sound programs are proved, twins never."""

import pytest

import dpaudit
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal import missing_programs as programs


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(programs.SOUND), 6))
def test_missing_values_and_functions_of_each_value_are_followed(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(programs.BROKEN), 8))
def test_a_broken_twin_is_never_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
