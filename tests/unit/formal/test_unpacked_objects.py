"""``C(*values)``: an object is made of values that are unpacked, or the call raises."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, Verdict, verify

NUMBERS = AddRemove(Real(0, 50), max_size=8)
CUTS = (10, 20, 30)


class Three(NamedTuple):
    a: float
    b: float
    c: float


@dataclass
class Named:
    name: str
    low: float
    high: float


@dataclass
class Defaults:
    low: float
    high: float = 0.0


def of_a_list(data, rng):
    return Three(*[np.sum(data > c) + rng.laplace(0, 4.0) for c in CUTS])


def of_sorted_values(data, rng):
    noisy = sorted(np.sum(data > c) + rng.laplace(0, 4.0) for c in CUTS)
    found = Three(*noisy)
    return found.c - found.a


def after_a_constant(data, rng):
    return Named("n", *sorted(np.sum(data > c) + rng.laplace(0, 4.0) for c in CUTS[:2]))


def of_as_many_as_the_data_say(data, rng):
    return Three(*[rng.laplace(0, 1.0) for x in data if x > 10])


def of_too_little_noise(data, rng):
    return Three(*sorted(np.sum(data > c) + rng.laplace(0, 2.0) for c in CUTS))


def of_an_exact_value(data, rng):
    return Three(*[float(len(data)), rng.laplace(0, 1.0), 0.0])


def with_an_exact_value(data, rng):
    found = Three(*[np.sum(data > c) + rng.laplace(0, 4.0) for c in CUTS])
    return found.a, float(np.sum(data > 10))


def of_a_default_that_tells(data, rng):
    return Defaults(*[rng.laplace(0, 1.0) for _ in range(1 + (len(data) > 3))])


@pytest.mark.parametrize("mechanism", [of_a_list, of_sorted_values, after_a_constant])
def test_an_object_of_unpacked_noisy_values_is_proved(mechanism):
    report = verify(mechanism, PureDP(1.0), NUMBERS)
    assert report.verdict is Verdict.VERIFIED, report.reason


@pytest.mark.parametrize(
    "mechanism",
    [
        of_as_many_as_the_data_say,
        of_too_little_noise,
        of_an_exact_value,
        with_an_exact_value,
        of_a_default_that_tells,
    ],
)
def test_what_unpacked_values_tell_is_not_proved(mechanism):
    assert verify(mechanism, PureDP(1.0), NUMBERS, timeout=3).verdict is not Verdict.VERIFIED
