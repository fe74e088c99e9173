"""A comparison that intervals decide is decided on floats too, or not at all."""

import pytest

from dpaudit import AddRemove, AnyPair, Integer, PureDP, Real
from tests.proving import is_proved

BIT = AnyPair(Integer(0, 1))
COUNT = AddRemove(Real(0, 1), max_size=4)


def small_coin_beside_a_large_number(bit, rng):
    coin = rng.integers(0, 2)
    if coin * 0.01 + 1e15 > 1e15 - 0.01:
        return 0
    return bit


def small_noise_beside_a_large_number(data, rng):
    noise = min(max(rng.laplace(), 0), 1)
    if noise * 0.01 + 1e15 > 1e15 - 0.01:
        return 0
    return len(data)


def coin_beside_a_number(bit, rng):
    coin = rng.integers(0, 2)
    if coin * 0.5 + 15 > 14.75:
        return 0
    return bit


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(small_coin_beside_a_large_number, BIT), (small_noise_beside_a_large_number, COUNT)],
)
def test_what_floats_take_for_one_number_decides_nothing(mechanism, neighbors):
    assert not is_proved(mechanism, PureDP(1.0), neighbors)


def test_what_floats_tell_is_decided():
    assert is_proved(coin_beside_a_number, PureDP(1.0), BIT)
