"""Refutations from the source where the output has several structures: a truth value is one."""

import pytest

from dpaudit import AnyPair, Categorical, PureDP, Verdict, verify

BITS = AnyPair(Categorical([0, 1]))


def bit_first(x, rng):
    return x, bool(rng.random() < 0.5)


def bit_last(x, rng):
    return bool(rng.random() < 0.25), x


def bit_by_name(x, rng):
    return {"value": x, "coin": bool(rng.random() < 0.5)}


def two_coins(x, rng):
    return x, bool(rng.random() < 0.5), bool(rng.random() < 0.5)


def too_little_noise(x, rng):
    return x + rng.laplace(scale=0.1), bool(rng.random() < 0.5)


def enough_noise(x, rng):
    return x + rng.laplace(scale=1.0), bool(rng.random() < 0.5)


@pytest.mark.parametrize("claim", [PureDP(0.01), PureDP(1.0), PureDP(5.0)], ids=str)
@pytest.mark.parametrize(
    "mechanism", [bit_first, bit_last, bit_by_name, two_coins, too_little_noise]
)
def test_a_leak_beside_a_coin_is_refuted(mechanism, claim):
    assert verify(mechanism, claim, BITS).verdict is Verdict.REFUTED


def test_noise_that_pays_is_not_refuted_beside_a_coin():
    assert verify(enough_noise, PureDP(1.0), BITS).verdict is not Verdict.REFUTED
