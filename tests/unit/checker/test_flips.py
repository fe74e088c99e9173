"""Certificates about permute-and-flip."""

import pytest

from dpaudit import PureDP, QueryAnswers
from mechanisms.permute_and_flip import permute_and_flip
from tests.checking import check
from tests.unit.checker.mutations import changed
from tests.unit.checker.test_lemma import loaded, replaced
from tests.unit.formal.test_flips import FOUR, orders_the_coins, scaled_there_and_back

GIVEN = (permute_and_flip, PureDP(1.0), FOUR)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "neighbors"),
    [
        (permute_and_flip, 1.0, FOUR),
        (permute_and_flip, 0.5, QueryAnswers(4, monotone=True)),
        (permute_and_flip, 0.5, QueryAnswers(3, norm="l0")),
        (orders_the_coins, 1.0, FOUR),
    ],
)
def test_a_proof_about_permute_and_flip_is_accepted(mechanism, epsilon, neighbors):
    checked = check(loaded(mechanism, PureDP(epsilon), neighbors))
    assert checked.accepted, checked.reason
    assert "the lemma on permute-and-flip" in checked.trusted


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"permutation"', '"choice"'),
        ('"method.max"', '"method.min"'),
        ('"method.argmax"', '"method.argmin"'),
        ('"operator.lt"', '"operator.gt"'),
        ('"operator.sub"', '"operator.add"'),
        ('"numpy.exp"', '"numpy.expm1"'),
        ('"random"', '"laplace"'),
        ('"int": "2"', '"int": "1"'),
        ('"int": "2"', '"int": "-2"'),
    ],
)
def test_another_program_is_not_permute_and_flip(old, new):
    assert not check(replaced(loaded(*GIVEN), (old, new)), source=False).accepted


def test_no_less_is_accepted_than_was_proved():
    made = loaded(*GIVEN)
    for path, value in {
        ("subject", "claim"): "PureDP(0.9)",
        ("subject", "neighbors"): str(QueryAnswers(4, distance=2.0)),
        ("proof", "spent"): "1/2",
        ("proof", "numbers", "f"): "1",
        ("proof", "lemma", "name"): "the Laplace mechanism",
    }.items():
        checked = check(changed(made, path, lambda _old, value=value: value), source=False)
        assert not checked.accepted, path


@pytest.mark.parametrize("by", [1e200, 1e-161])
def test_scores_that_overflow_or_keep_few_bits_are_not_accepted(by):
    made = loaded(scaled_there_and_back, PureDP(1.0), FOUR)
    assert check(made, source=False).accepted
    other = replaced(made, ((2.0).hex(), by.hex()))
    assert not check(other, source=False).accepted
