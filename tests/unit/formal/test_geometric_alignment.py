"""Randomness alignment of geometric noise: whole shifts to the right, and no others."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import pytest

from dpaudit import PureDP, QueryAnswers
from dpaudit.checker.alignment.content import Relation
from dpaudit.checker.alignment.ratios import Ratio
from dpaudit.formal.alignment.proof import AlignmentProof
from dpaudit.formal.alignment.shifts import admissible, candidates
from tests import discrete_programs as programs
from tests.alignments import PURE, is_aligned, outcome, system
from tests.sweeps import sampled


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    sampled(
        [
            (programs.above, PURE),
            (partial(programs.above, epsilon=0.3, threshold=-2.5), PureDP(0.3)),
            (programs.noisy_max, PURE),
            (programs.noisy_max_one_sided, PURE),
            (programs.sparse, "epsilon"),
        ],
        3,
    ),
)
def test_discrete_mechanisms_are_proved(mechanism, claim):
    assert isinstance(outcome(mechanism, claim=claim), AlignmentProof)


@pytest.mark.parametrize("mechanism", sampled(programs.TWINS, 3))
def test_twins_are_not_proved(mechanism):
    assert not is_aligned(mechanism, seconds=3)


def test_a_little_less_than_the_noise_that_is_needed_is_not_proved():
    mechanism = partial(programs.above, slow=0.5, fast=0.25)
    assert isinstance(outcome(mechanism, claim=PureDP(1.0)), AlignmentProof)
    assert not is_aligned(mechanism, claim=PureDP(1 - 2**-50), seconds=4)


def test_answers_that_change_by_half_do_not_halve_the_shift_of_whole_noise():
    near = QueryAnswers(4, 0.5)
    assert not is_aligned(programs.above, near, PureDP(0.5), 8)


@pytest.fixture(scope="module")
def first():
    return system(programs.above).paths[0]


@pytest.mark.parametrize(
    "shift", [Ratio.of(Fraction(1, 2)), Ratio.of(Fraction(7, 3)), Ratio.name("Δnoise 0@start")]
)
def test_a_shift_that_may_not_be_whole_is_not_admitted(first, shift):
    assert first.stretch.draws[1].family == "geometric"
    assert not admissible(shift, 1, first)


def test_only_whole_shifts_to_the_right_are_tried(first):
    tried = [shift.constant for shift in candidates(0, first, Relation(Fraction(1), False, 0))]
    assert tried == [0, 1, 2]
    near = Relation(Fraction(1, 3), False, 0)
    assert [shift.constant for shift in candidates(0, first, near)] == [0]


def chance_of_data(q, rng):
    return q[0] + rng.geometric(1 - 2.718281828 ** -q[0])


def chance_of_exponential_of_data(q, rng):
    import math

    return q[0] + rng.geometric(1 - math.exp(-q[0]))


def never_falling(q, rng, *, epsilon=1.0):
    import math

    return q[0] + rng.geometric(1 - math.exp(epsilon))


def no_noise_in_floats(q, rng, *, epsilon=100.0):
    import math

    return q[0] + rng.geometric(1 - math.exp(-epsilon)) >= 3


def too_small_for_floats(q, rng, *, epsilon=1e-15):
    import math

    return q[0] + rng.geometric(1 - math.exp(-epsilon)) >= 3


def chance_swallowed(q, rng, *, epsilon=1.0):
    import math

    return q[0] + rng.geometric(5e15 + (1 - math.exp(-epsilon)) - 5e15) >= 3


def an_exponential_among_the_data(q, rng, *, epsilon=1.0):
    import math

    return q[0] + math.exp(-epsilon) * 2 + rng.geometric(1 - math.exp(-epsilon))


@pytest.mark.parametrize(
    "mechanism",
    [
        chance_of_data,
        chance_of_exponential_of_data,
        never_falling,
        no_noise_in_floats,
        too_small_for_floats,
        chance_swallowed,
        an_exponential_among_the_data,
    ],
)
def test_other_chances_are_refused(mechanism):
    assert isinstance(outcome(mechanism, seconds=8), str)


@pytest.mark.parametrize("epsilon", [40.0, 100.0])
def test_what_floats_turn_into_no_noise_at_all_is_not_proved(epsilon):
    mechanism = partial(programs.above, epsilon=epsilon, slow=0.5, fast=0.25)
    assert "floats lose the rate" in outcome(mechanism, claim=PureDP(epsilon), seconds=8)
