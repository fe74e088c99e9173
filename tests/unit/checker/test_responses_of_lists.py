"""Randomized responses of a list, by `random`, `secrets` and small objects, on one record."""

import math

import pytest

from dpaudit import Categorical, PureDP, ReplaceOne
from dpaudit.checker.exact.conclusion import conclude
from dpaudit.checker.exact.numbers import precisely
from dpaudit.checker.file import FAULTS, BrokenError, NotCheckedError, RejectedError
from dpaudit.formal.conclusion import working, written_program
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.unit.checker.response_programs import BROKEN, HABITS, LN_4, SOUND

MANY = ReplaceOne(Categorical(list(HABITS)), size=30, container="list")
TWO = ReplaceOne(Categorical(list(HABITS)), size=2, container="list")


def is_concluded(mechanism, neighbors):
    """Return whether the exact distributions alone show the claim."""
    try:
        program = written_program(lift(mechanism), iterators=True)
        with precisely():
            conclude(program, PureDP(LN_4), neighbors, working(math.inf))
    except (BrokenError, NotCheckedError, RejectedError, Unsupported, *FAULTS):
        return False
    return True


@pytest.mark.parametrize("mechanism", SOUND)
def test_answers_of_a_list_are_those_of_one_record(mechanism):
    assert is_concluded(mechanism, MANY)


@pytest.mark.parametrize("mechanism", BROKEN)
def test_what_tells_more_than_the_answers_is_not_concluded(mechanism):
    assert not is_concluded(mechanism, TWO)
