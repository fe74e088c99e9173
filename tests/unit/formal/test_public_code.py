"""Forms that are common in public code are proved, and their broken twins never are."""

import pytest

import dpaudit
from tests.checking import check
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal.public_code_programs import (
    BROKEN,
    ONE,
    SOUND,
    WAGES,
    wages_over_what_dropna_leaves,
)


def named(cases):
    return [pytest.param(*case, id=f"{case[0].__name__}-{i}") for i, case in enumerate(cases)]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(SOUND)))
def test_a_sound_mechanism_is_proved_and_its_proof_is_checked(mechanism, claim, neighbors):
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED, report.reason
    assert check(report.certificate.to_dict()).accepted


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), thinned(named(BROKEN)))
def test_a_broken_twin_is_not_verified(mechanism, claim, neighbors):
    assert not is_proved(mechanism, claim, neighbors)


def test_a_count_of_what_dropna_leaves_may_be_0_in_the_bounds_of_rounding():
    report = dpaudit.audit(wages_over_what_dropna_leaves, ONE, WAGES, engines=["formal"])
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "no noise hides a rounding error" in report.reason
