"""Checksums of a record are computed for each value of its domain."""

import math

import pytest

from dpaudit import AnyPair, Categorical, PureDP
from tests.proving import is_proved
from tests.unit.formal import hashing_programs as programs

WORDS = AnyPair(Categorical(["alpha", "beta", "gamma"]))
LEAST = {  # the loss of these words, by their checksums
    programs.bloom: 3 * math.log(3),
    programs.bucket: 1.0,
    programs.sign: math.log(3),
}


@pytest.mark.parametrize("mechanism", LEAST, ids=lambda f: f.__name__)
def test_a_randomizer_of_a_checksum_is_proved_by_enumeration(mechanism):
    assert is_proved(mechanism, PureDP(LEAST[mechanism] + 1e-9), WORDS)


@pytest.mark.parametrize("mechanism", [*LEAST, programs.plain], ids=lambda f: f.__name__)
def test_a_randomizer_of_a_checksum_is_not_proved_for_less(mechanism):
    assert not is_proved(mechanism, PureDP(LEAST.get(mechanism, 9.0) * 0.99), WORDS)
