"""Rounds at released parameters: vectors that a branch shortens are proved, their twins never."""

import pytest

import dpaudit
from tests.proving import is_proved
from tests.sweeps import sampled
from tests.unit.formal import round_programs as programs


def named(table):
    return [pytest.param(*entry, id=entry[0].__name__) for entry in table]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), named(programs.SOUND))
def test_rounds_with_vectors_that_a_branch_shortens_are_verified(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(programs.BROKEN), 5))
def test_a_broken_round_is_never_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
