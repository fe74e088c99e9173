"""An integer without bound is the same output as the integer that is told without noise."""

import math

import numpy as np
import pytest

from dpaudit import AnyPair, Categorical, PureDP
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.unsupported import Unsupported
from tests.checking import check
from tests.exact_laws import certificate, claimed, decide

BITS = AnyPair(Categorical([0, 1]))


def told_at_times(bit, rng):
    return 5 if bit and rng.random() < 0.25 else rng.geometric(0.5) - rng.geometric(0.5)


def rounded_at_times(bit, rng):
    return 5 if bit and rng.random() < 0.25 else round(rng.laplace(scale=1 / math.log(2)))


def a_float_at_times(bit, rng):
    return 5.0 if bit and rng.random() < 0.25 else rng.geometric(0.5) - rng.geometric(0.5)


def in_a_list(bit, rng):
    noise = rng.geometric(0.5) - rng.geometric(0.5)
    return [5, 0] if bit and rng.random() < 0.25 else [noise, 0]


def in_an_array(bit, rng):
    noise = rng.geometric(0.5) - rng.geometric(0.5)
    return np.array([5, 0]) if bit and rng.random() < 0.25 else np.array([noise, 0])


def at_another_place(bit, rng):
    noise = rng.geometric(0.5) - rng.geometric(0.5)
    return [noise, 0] if bit else [0, noise]


@pytest.mark.parametrize(
    "mechanism", [told_at_times, rounded_at_times, a_float_at_times, in_a_list, in_an_array]
)
def test_what_noise_may_be_too_is_not_taken_for_impossible(mechanism):
    """Noise is 5 with a chance of 1/96 (rounded Laplace: 0.011), so that the loss is below 4."""
    try:
        found = decide(mechanism, PureDP(4.0), BITS)
    except Unsupported:
        return
    assert isinstance(found, ExactProof)


@pytest.mark.parametrize("mechanism", [told_at_times, in_a_list, in_an_array])
def test_what_is_told_at_times_is_never_proved_to_cost_less(mechanism):
    # 1/4 + 3/4 · 1/96 against 1/96: 24.75
    try:
        found = decide(mechanism, PureDP(math.log(24.7)), BITS)
    except Unsupported:
        return
    assert isinstance(found, Counterexample)
    assert found.epsilon == pytest.approx(math.log(24.75))


def test_noise_at_another_place_is_refuted_only_by_what_it_cannot_be():
    """[0, 0] is of both; [1, 0] is of one alone."""
    try:
        found = decide(at_another_place, PureDP(9.0), BITS)
    except Unsupported:
        return
    assert isinstance(found, Counterexample)
    assert found.event.words != "output is [0, 0]"


def plain_noise(bit, rng):
    return bit + rng.geometric(0.5) - rng.geometric(0.5)


def test_plain_noise_costs_its_rate():
    found = certificate(plain_noise, PureDP(math.log(2) + 1e-12), BITS)
    assert check(found).accepted
    assert not check(claimed(found, PureDP(0.69))).accepted
