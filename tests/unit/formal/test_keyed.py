"""Loops over records that fill dicts, lists and arrays by key: proved, and no twin of them."""

import pytest

import dpaudit
from dpaudit import AnyPair, Categorical, PureDP, QueryAnswers, Verdict
from dpaudit.formal.clock import fresh, now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import OutOfScope, Unsupported
from tests.proving import is_proved
from tests.sweeps import thinned
from tests.unit.formal.keyed_programs import SOUND
from tests.unit.formal.keyed_twins import BROKEN


@pytest.mark.parametrize("case", thinned(SOUND), ids=lambda case: case[0].__name__)
def test_what_a_record_adds_by_key_is_proved_as_the_checker_follows_it(case):
    mechanism, claim, neighbors = case
    with fresh():
        prove_by_cost(lift(mechanism), claim, neighbors, deadline=now() + 60)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case[0].__name__)
def test_a_twin_with_one_defect_is_not_proved(case):
    mechanism, claim, neighbors = case
    with fresh(), pytest.raises((OutOfScope, Unsupported)):
        prove_by_cost(lift(mechanism), claim, neighbors, deadline=now() + 60)


@pytest.mark.parametrize("name", ["group_lists", "batch"])
def test_such_proofs_are_verified_and_accepted(name):
    [(mechanism, claim, neighbors)] = [case for case in SOUND if case[0].__name__ == name]
    assert dpaudit.verify(mechanism, claim, neighbors).verdict is Verdict.VERIFIED


LANGUAGES = ("c", "go", "java")


def unary(data, rng, keep=0.73):
    names = ["c", "go", "java"]
    bits = [0] * len(names)
    bits[names.index(str(data))] = 1
    return [bit if rng.random() < keep else 1 - bit for bit in bits]


def test_one_answer_among_texts_is_looked_up_in_a_list():
    answers = AnyPair(Categorical(LANGUAGES))
    assert dpaudit.verify(unary, PureDP(2.0), answers).verdict is Verdict.VERIFIED
    assert dpaudit.verify(unary, PureDP(1.9), answers).verdict is Verdict.REFUTED


def first_above(data, rng, factor=2.0):
    def noise(scale):
        return rng.laplace(0.0, scale)

    limit = 3.0 + noise(factor)
    for place, answer in enumerate(data):
        if answer + noise(2 * factor) >= limit:
            return place
    return -1


def too_little_noise(data, rng):
    return first_above(data, rng, factor=0.5)


def test_noise_of_a_function_inside_is_aligned():
    assert dpaudit.verify(first_above, PureDP(1.0), QueryAnswers(5)).verdict is Verdict.VERIFIED
    assert not is_proved(too_little_noise, PureDP(1.0), QueryAnswers(5))
