"""Dicts of dicts that ``setdefault`` makes of known keys."""

import pytest

from dpaudit import AddRemove, Categorical, PureDP
from tests.proving import is_proved

ONE = PureDP(1.0)
WORDS = AddRemove(Categorical(["a", "b"]), container="list")


def counted(data):
    found = {"a": 0, "b": 0}
    for word in data:
        found[word] += 1
    return found


def by_word(data, rng):
    out = {}
    for word, n in counted(data).items():
        out.setdefault(word, {})["noisy"] = n + rng.laplace(scale=1.0)
    return out


def in_one_dict(data, rng):
    out = {}
    for word, n in counted(data).items():
        out.setdefault("words", {})[word] = n + rng.laplace(scale=1.0)
    out["total"] = sum(out.setdefault("words", {}).values())
    return out


def without_noise(data, rng):
    out = {}
    for word, n in counted(data).items():
        out.setdefault(word, {})["noisy"] = n + rng.laplace(scale=1.0)
        out.setdefault(word, {})["exact"] = n
    return out


def under_another_name(data, rng):
    out, inner = {}, {}
    for word, n in counted(data).items():
        out.setdefault("words", inner)[word] = n + rng.laplace(scale=1.0)
    inner["a"] = len(data)
    return out


def a_default_that_stays(data, rng):
    out = {"n": len(data)}
    out.setdefault("n", rng.laplace(scale=1.0))
    return out


def a_key_of_the_records(data, rng):
    out = {}
    for word in data:
        out.setdefault(word, {})["n"] = 1
    return list(out), rng.laplace(scale=1.0)


@pytest.mark.parametrize("mechanism", [by_word, in_one_dict])
def test_an_entry_that_is_set_by_default_may_be_filled(mechanism):
    assert is_proved(mechanism, ONE, WORDS)


@pytest.mark.parametrize(
    "mechanism", [without_noise, under_another_name, a_default_that_stays, a_key_of_the_records]
)
def test_a_dict_that_is_set_by_default_hides_nothing(mechanism):
    assert not is_proved(mechanism, ONE, WORDS)
