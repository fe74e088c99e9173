"""Hashes of f-strings, as clients of local hashing write them, have exact distributions."""

import hashlib
import math

import pytest

from dpaudit import AnyPair, Categorical, PureDP, verify
from dpaudit.evidence import Verdict
from tests.proving import is_proved

WORDS = AnyPair(Categorical(["a", "b", "c"]))


def report(value, seed, epsilon, rng):
    bucket = int(hashlib.sha256(f"{seed}-{value}".encode()).hexdigest(), 16) % 4
    if rng.random() < math.exp(epsilon) / (math.exp(epsilon) + 3):
        return bucket
    other = int(rng.integers(0, 3))
    return other if other < bucket else other + 1


def hashed(value, rng):
    seed = rng.integers(0, 16)
    return int(seed), report(value, seed, 1.0, rng)


def hashed_and_kept_too_often(value, rng):
    seed = rng.integers(0, 16)
    return int(seed), report(value, seed, 1.5, rng)


def hashed_alone(value, rng):
    seed = rng.integers(0, 16)
    return int(seed), int(hashlib.sha256(f"{seed}-{value}".encode()).hexdigest(), 16) % 4


def length_of_a_text(value, rng):
    """The text of a float is longer than that of the whole number that it is."""
    seed = rng.integers(0, 10)
    return len(f"{seed / 1}") if value == "a" else len(f"{seed}")


def test_a_hash_of_a_text_is_followed():
    found = verify(hashed, PureDP(1.0), WORDS, progress=False)
    assert found.verdict is Verdict.VERIFIED, found.summary()


@pytest.mark.parametrize("mechanism", [hashed_and_kept_too_often, hashed_alone])
def test_what_a_hash_tells_is_refuted(mechanism):
    found = verify(mechanism, PureDP(1.0), WORDS, progress=False)
    assert found.verdict is Verdict.REFUTED, found.summary()


def test_a_float_is_not_written_as_a_whole_number():
    assert not is_proved(length_of_a_text, PureDP(1.0), WORDS)
