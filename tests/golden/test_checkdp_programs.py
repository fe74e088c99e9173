"""CheckDP's and ShadowDP's benchmark: sixteen programs, for every length, for all epsilon and N."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import flint
import numpy as np
import pytest

import dpaudit
from dpaudit import PureDP, Verdict
from dpaudit.formal.alignment.proof import AlignmentProof
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.balls import precision
from dpaudit.formal.clock import now
from dpaudit.formal.lift import lift
from dpaudit.formal.trial.execute import Trial
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Pair
from tests import formal_programs as programs
from tests.alignments import refuted
from tests.formal_programs import ALL, ONE, SOUND
from tests.sweeps import sampled

BROKEN = {
    "bad_partial_sum": (ONE, 1),
    "bad_smart_sum": (ONE, 2),
    "bad_svt1": (ALL, 1),
    "bad_svt2": (ALL, 1),
    "bad_svt3": (ALL, 1),
    "bad_gap_svt": (ALL, 1),
    "bad_report_noisy_max": (ALL, 1),
    "bad_adaptive_svt": (ALL, 1),
}


def verdict(name, neighbors, claim, **fixed):
    program = lift(partial(getattr(programs, name), **fixed))
    return prove_by_alignment(program, claim, neighbors, deadline=now() + 120)


ALIGNED = [name for name in SOUND if name != "report_noisy_max"]


@pytest.mark.parametrize("name", ALIGNED)
def test_sound_programs_are_proved_for_all_parameters(name):
    neighbors, claim = SOUND[name]
    result = verdict(name, neighbors, claim)
    assert isinstance(result, AlignmentProof)
    assert all(o.result == "unsat" for part in result.relations for o in part.obligations)


@pytest.mark.parametrize("name", sampled(ALIGNED, 3))
def test_sound_programs_are_not_proved_for_a_quarter_of_their_claim(name):
    neighbors, claim = SOUND[name]
    with pytest.raises(Unsupported):
        verdict(name, neighbors, f"{claim}/4")


@pytest.mark.parametrize(("epsilon", "proved"), [("epsilon", True), ("epsilon/4", False)])
def test_the_place_of_the_largest_is_proved_by_its_cost(epsilon, proved):
    report = dpaudit.verify(programs.report_noisy_max, f"PureDP({epsilon})", ALL)
    assert (report.verdict is Verdict.VERIFIED) is proved


@pytest.mark.parametrize("name", BROKEN)
def test_broken_programs_are_refuted_by_an_exact_loss_above_the_claim(name):
    neighbors, times = BROKEN[name]
    limit = times * 0.5
    mechanism = partial(getattr(programs, name), epsilon=0.5)
    result = refuted(mechanism, PureDP(limit), neighbors)
    assert result.epsilon > limit
    assert neighbors.contains(Pair(result.left, result.right))


def probability_of(program, data, flags):
    with precision(200):
        ends = Trial(program).outcomes(data, deadline=float("inf"))
        return sum((end.mass() for end in ends if end.output == flags), flint.arb(0))


def test_the_counterexample_to_bad_svt3_has_its_published_loss():
    program = lift(partial(programs.bad_svt3, epsilon=1.0))
    flags = [False, False, True]
    p = probability_of(program, [36, 36, -12], flags)
    q = probability_of(program, [37, 37, -13], flags)
    assert abs(float((p / q).log()) - 1.7499999985) < 1e-10


def test_bad_svt1_can_show_an_output_that_its_neighbor_cannot():
    program = lift(partial(programs.bad_svt1, epsilon=1.0))
    assert probability_of(program, [1, -1], [True, False]) > 0
    assert probability_of(program, [0, 0], [True, False]) == 0


@pytest.mark.parametrize("name", ["bad_svt2", "bad_svt3"])
def test_exact_probabilities_agree_with_sampling(name):
    program = lift(partial(getattr(programs, name), epsilon=1.0))
    data, rng = np.array([0.5, -1.0, 1.0]), np.random.default_rng(7)
    outputs = [tuple(getattr(programs, name)(data, rng, epsilon=1.0)) for _ in range(4000)]
    for flags in set(outputs):
        exact = float(probability_of(program, data, [bool(flag) for flag in flags]))
        seen = outputs.count(flags) / len(outputs)
        assert abs(seen - exact) < 6 * (exact * (1 - exact) / len(outputs)) ** 0.5 + 1e-9


def test_a_claim_below_a_tight_one_is_refuted():
    result = refuted(partial(programs.partial_sum, epsilon=1.0), PureDP(0.999), ONE)
    assert Fraction(result.epsilon) > Fraction(0.999)
