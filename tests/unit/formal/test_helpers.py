"""Small helpers around noise, queries and choices: proved as they are, their broken twins never."""

import pytest

import dpaudit
from tests.proving import is_proved
from tests.sweeps import FULL, sampled, thinned
from tests.unit.formal.helper_programs import BROKEN, OPEN, SOUND


def named(cases):
    return [pytest.param(*case, id=f"{case[0].__name__}-{i}") for i, case in enumerate(cases)]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(SOUND), 4))
def test_a_sound_mechanism_is_proved_and_its_proof_is_checked(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED
    assert report.checked


@pytest.mark.skipif(not FULL, reason="a full sweep tries what is not proved yet too")
@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), named(OPEN))
def test_a_sound_mechanism_that_is_not_proved_yet_is_not_refuted(mechanism, claim, neighbors):
    report = dpaudit.audit(mechanism, claim, neighbors, engines=["formal"])  # with fewer steps
    assert report.verdict is not dpaudit.Verdict.REFUTED


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(BROKEN)))
def test_a_broken_twin_is_not_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
