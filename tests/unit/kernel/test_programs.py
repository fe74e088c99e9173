"""Core and the kernel on whole mechanisms: what is proved, what is not, and what lowering means."""

import itertools
import warnings

import numpy as np
import pytest

import dpaudit
from dpaudit.core.concrete import Raised, run
from dpaudit.core.lowering import lower
from dpaudit.core.proof import data_of, prove_by_core
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.core_programs import BROKEN, PERCENT, SOUND, far_away, raises_for_few

NAMES = [mechanism.__name__ for mechanism, _, _ in SOUND]


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), SOUND, ids=NAMES)
def test_a_sound_mechanism_is_proved(mechanism, claim, neighbors):
    proof = prove_by_core(lift(mechanism), claim, neighbors)
    assert proof.theorem.claim is claim
    assert all(step.concludes is not None for step in proof.theorem.steps)


@pytest.mark.parametrize(
    ("mechanism", "claim", "neighbors"), BROKEN, ids=[m.__name__ for m, _, _ in BROKEN]
)
def test_no_broken_mechanism_is_proved(mechanism, claim, neighbors):
    with pytest.raises(Unsupported):
        prove_by_core(lift(mechanism), claim, neighbors)


def test_there_are_a_hundred_broken_mechanisms():
    assert len({mechanism.__name__ for mechanism, _, _ in BROKEN}) == len(BROKEN) >= 100


@pytest.mark.parametrize(("mechanism", "claim", "neighbors"), SOUND, ids=NAMES)
def test_core_returns_what_python_returns_with_the_same_draws(mechanism, claim, neighbors):
    core = lower(lift(mechanism), data_of(neighbors))
    pairs = list(itertools.islice(neighbors.pairs(np.random.default_rng(0)), 12))
    assert pairs
    for seed, pair in enumerate(pairs):
        for data in (pair.left, pair.right):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = mechanism(data, np.random.default_rng(seed))
            assert repr(run(core, data, np.random.default_rng(seed))) == repr(wanted)


def test_core_raises_what_python_raises():
    core = lower(lift(raises_for_few), data_of(PERCENT))
    with pytest.raises(Raised, match="ValueError"):
        run(core, np.array([1.0]), np.random.default_rng(0))


def test_verify_says_so_with_a_derivation_that_is_checked():
    mechanism, claim, neighbors = SOUND[0]
    report = dpaudit.verify(mechanism, claim, neighbors)
    assert report.verdict is dpaudit.Verdict.VERIFIED
    assert report.certificate.kind == "core"
    assert report.evidence[0].checked.accepted
    assert any("rounding of floats" in each for each in report.evidence[0].assumptions)


def test_a_rounding_error_before_the_noise_is_not_proved():
    neighbors = dpaudit.AnyPair(dpaudit.Real(0, 1))
    assert prove_by_core(lift(far_away), dpaudit.PureDP(1.0), neighbors)  # over the reals
    report = dpaudit.verify(far_away, dpaudit.PureDP(1.0), neighbors)
    assert report.verdict is not dpaudit.Verdict.VERIFIED
