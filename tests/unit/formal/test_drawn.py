"""Helpers that draw, distributions that are kept, rejection loops, choices, texts of releases."""

import math
import random

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


def weights_over_their_sum(data):
    counts = [sum(1 for d in data if d == o) for o in "abc"]
    top = max(counts)
    w = [math.exp(0.5 * (c - top)) for c in counts]
    total = sum(w)
    return random.choices("abc", weights=[x / total for x in w])[0]


def test_a_private_sum_of_weights_is_no_divisor_unless_it_is_known_not_to_be_0():
    neighbors = dpaudit.AddRemove(dpaudit.Categorical(["a", "b", "c"]))
    report = dpaudit.audit(
        weights_over_their_sum, dpaudit.PureDP(1.0), neighbors, engines=["formal"]
    )
    assert report.verdict is dpaudit.Verdict.INCONCLUSIVE
    assert "floats may make a private number 0" in report.reason
