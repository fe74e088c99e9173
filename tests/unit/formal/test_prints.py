"""What a mechanism prints and logs is an output of every proof."""

import types

import numpy as np
import pytest

from dpaudit import AddRemove, AnyPair, Categorical, PureDP, Real, Verdict, verify
from tests.sweeps import sampled
from tests.unit.formal import print_programs

VALUES = AddRemove(Real(0, 100), max_size=8)
ONE = PureDP(np.nextafter(1.0, 2))
SOUND = {
    "a_public_text",
    "a_noisy_value",
    "of_an_engine",
    "a_warning",
    "to_streams",
    "in_a_public_loop",
    "hidden_by_another_exception",
}
FORMS = [
    value
    for value in vars(print_programs).values()
    if isinstance(value, types.FunctionType) and value.__code__.co_varnames[:1] == ("x",)
]
MECHANISMS = [
    value
    for value in vars(print_programs).values()
    if isinstance(value, types.FunctionType) and value.__code__.co_varnames[:1] == ("data",)
]


def named(function):
    return function.__name__


@pytest.mark.parametrize("mechanism", sampled(MECHANISMS, 2), ids=named)
def test_texts_about_released_values_are_free_and_others_are_no_proof(mechanism):
    report = verify(mechanism, ONE, VALUES)
    if mechanism.__name__ not in SOUND:
        assert report.verdict is not Verdict.VERIFIED
        return
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked, report.evidence[0].checked


@pytest.mark.parametrize("mechanism", FORMS, ids=named)
def test_what_a_text_shows_beside_its_values_is_an_output(mechanism):
    report = verify(mechanism, ONE, AnyPair(Categorical([0, 1])))
    same = mechanism is print_programs.same_on_two_lines
    assert (report.verdict is Verdict.VERIFIED) is same, report.reason


def test_too_little_noise_is_refuted_whatever_is_printed():
    report = verify(print_programs.too_little_noise, ONE, VALUES)
    assert report.verdict is Verdict.REFUTED


def test_every_program_is_tried():
    assert {mechanism.__name__ for mechanism in MECHANISMS} > SOUND
    assert len(MECHANISMS) == 27
