"""Counts, sums, means and loops in other words: proved as they are, their broken twins never."""

import pytest

import dpaudit
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved
from tests.sweeps import sampled, thinned
from tests.unit.formal.spellings import BROKEN, OPEN, SOUND

DEADLINE = 60.0


def named(cases):
    return [pytest.param(*case, id=f"{case[0].__name__}-{i}") for i, case in enumerate(cases)]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(SOUND), 5))
def test_a_sound_mechanism_is_proved_and_its_proof_is_checked(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED
    assert report.checked


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), sampled(named(OPEN), 2))
def test_a_sound_mechanism_that_is_not_proved_yet_is_not_refuted(mechanism, claim, neighbors):
    report = dpaudit.audit(mechanism, claim, neighbors, engines=["formal"])  # with fewer steps
    assert report.verdict is not dpaudit.Verdict.REFUTED


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), named(BROKEN))
def test_no_proof_follows_a_broken_twin(mechanism, claim, neighbors):
    # The prover alone: `verify` also runs what it has proved, and may refute a false proof.
    with pytest.raises(Unsupported):
        prove_by_cost(lift(mechanism), claim, neighbors, deadline=DEADLINE)


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(BROKEN)))
def test_a_broken_twin_is_not_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)
