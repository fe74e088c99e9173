"""Turns of loops that are gone through by themselves: the distribution is what all ways give."""

import math

import numpy as np
import pytest

from dpaudit import AnyPair, Integer, Pairs, PureDP
from dpaudit.checker.exact import laws
from dpaudit.checker.exact.mechanism import Mechanism
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.exact.paths import EAGERLY, TURNS
from dpaudit.checker.file import NotCheckedError
from dpaudit.formal.exact import ExactProof
from tests.checking import check
from tests.exact_laws import UNLIMITED, certificate, decide, program_of
from tests.unit.checker.turn_programs import FOLLOWED, LIE, SAME_LAW

THREE = AnyPair(Integer(0, 2))


def law_by(manner, mechanism, x):
    """Return the distribution, and whether independent parts of it were kept apart."""
    made = Mechanism(program_of(mechanism), UNLIMITED)
    with precisely():
        _, found = laws._followed(made.runner(x), UNLIMITED, {}, manner)
        parts = bool(found.products)
        laws._multiply_out(found)
    return {key: weight for key, weight in found.points.items() if weight.sign()}, parts


@pytest.mark.parametrize("mechanism", SAME_LAW, ids=lambda mechanism: mechanism.__name__)
def test_turns_by_themselves_give_the_distribution_of_all_ways(mechanism):
    for x in (0, 1):
        expected, _ = law_by(EAGERLY, mechanism, x)
        try:
            found, parts = law_by(TURNS, mechanism, x)
        except NotCheckedError:
            assert mechanism.__name__ not in FOLLOWED
            continue
        assert found == expected
        assert parts or mechanism.__name__ not in FOLLOWED


def optimized_unary_encoding(x, rng):
    bits = [0] * 9
    bits[x] = 1
    for i, bit in enumerate(bits):
        if bit == 1:
            bits[i] = 1 if rng.random() < 0.5 else 0
        elif rng.random() < 1 / (math.exp(1.0) + 1):
            bits[i] = 1
        else:
            bits[i] = 0
    return bits


def the_true_bit_is_tossed_twice(x, rng):
    bits = [0] * 9
    bits[x] = 1
    for i, bit in enumerate(bits):
        if bit == 1:
            bits[i] = 1 if rng.random() < 0.5 or rng.random() < 0.5 else 0
        elif rng.random() < 1 / (math.exp(1.0) + 1):
            bits[i] = 1
        else:
            bits[i] = 0
    return bits


def one_bit_is_never_tossed(x, rng):
    bits = [0] * 9
    bits[x] = 1
    for i in range(1, 9):
        if rng.random() < LIE:
            bits[i] = 1 - bits[i]
    return bits


def _answer(bit, rng):
    if rng.random() < LIE:
        return 1 - bit
    return bit


def survey(data, rng):
    return [_answer(int(bit), rng) for bit in data]


def asked_twice(data, rng):
    return [(_answer(int(bit), rng), _answer(int(bit), rng)) for bit in data]


def test_nine_bits_by_branches_are_proved_and_the_proof_is_checked():
    found = certificate(optimized_unary_encoding, PureDP(1.0), THREE)
    assert check(found).accepted


@pytest.mark.parametrize("mechanism", [the_true_bit_is_tossed_twice, one_bit_is_never_tossed])
def test_a_bit_that_is_tossed_otherwise_is_refuted(mechanism):
    assert not isinstance(decide(mechanism, PureDP(1.0), THREE), ExactProof)


TEN_OF_TEN = Pairs([(np.zeros(10, dtype=int), np.array([1] + [0] * 9))])


@pytest.mark.parametrize(
    ("mechanism", "cost"), [(survey, 1.0), (asked_twice, 2.0)], ids=["once", "twice"]
)
def test_a_survey_costs_what_one_person_answers(mechanism, cost):
    assert isinstance(decide(mechanism, PureDP(cost + 1e-4), TEN_OF_TEN), ExactProof)
    assert not isinstance(decide(mechanism, PureDP(cost - 1e-2), TEN_OF_TEN), ExactProof)
