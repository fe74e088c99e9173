"""Helpers that draw, distributions that are kept, rejection loops, choices, texts of releases."""

import pytest

import dpaudit
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal import drawn_programs, drawn_twins


def named(cases):
    return [pytest.param(*case, id=case[0].__name__) for case in cases]


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"), sampled(named(drawn_programs.CASES), 5)
)
def test_a_sound_mechanism_is_proved_and_its_proof_is_checked(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(drawn_twins.CASES)))
def test_a_broken_twin_is_not_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
