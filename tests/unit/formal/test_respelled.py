"""What is lowered to another spelling is proved, and its broken twins never are."""

import pytest

import dpaudit
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal.respelled_programs import BROKEN, SOUND


def named(cases):
    return [pytest.param(*case, id=f"{case[0].__name__}-{i}") for i, case in enumerate(cases)]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(SOUND), 5))
def test_a_sound_mechanism_is_proved_and_its_proof_is_checked(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(BROKEN)))
def test_a_broken_twin_is_not_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
