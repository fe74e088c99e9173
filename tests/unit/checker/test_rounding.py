"""What floats do otherwise than real numbers is not checked, whoever proved it."""

import math

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real
from dpaudit.checker.exact.numbers import number
from dpaudit.checker.file import NotCheckedError
from dpaudit.checker.rounding import cancels, is_nearly_whole, is_torn, tosses
from tests.checking import check
from tests.exact_laws import law
from tests.unit.checker.forged import forged

ONE = PureDP(1.0)
RECORDS = AddRemove(Real(0, 1), max_size=8)


def faint_coin(value, rng):
    return bool(rng.random() < 2.0**-40)


def certain_coin(value, rng):
    return bool(rng.random() < 1 - 2.0**-40)


def narrow_coin(value, rng):
    draw = rng.random()
    return bool(draw < 0.5), bool(draw < 0.5 + 2.0**-40)


def faint_choice(value, rng):
    return int(rng.choice(3, p=[0.5, 0.5 - 2.0**-40, 2.0**-40]))


def plain_coin(value, rng):
    draw = rng.random()
    return bool(draw < 0.25), bool(draw < 2.0**-20)


@pytest.mark.parametrize("mechanism", [faint_coin, certain_coin, narrow_coin, faint_choice])
def test_a_chance_that_floats_do_not_tell_is_not_checked(mechanism):
    with pytest.raises(NotCheckedError, match="floats do not tell"):
        law(mechanism, 0)


def test_other_chances_are_what_they_are():
    assert len(law(plain_coin, 0)) == 3


def cancelled(data, rng):
    return len(data) + rng.laplace(scale=(1e16 + 3.0) - 1e16)


def cut_off(data, rng):
    return len(data) + rng.laplace(scale=int(0.7 * 10) / 7)


def torn(data, rng):
    return len(data) + rng.laplace(scale=0.5 if 0.1 + 0.2 == 0.3 else 1.0)


def rarely_sampled(data, rng):
    mask = rng.random(len(data)) < 2.0**-40
    return mask.sum() + rng.laplace(scale=0.03)


def usual(data, rng):
    scale = (3.5 - 2.5) * int(7.5) / 7 if 0.1 + 0.2 > 0.25 else 0.5
    return len(data) + rng.laplace(scale=scale)


@pytest.mark.parametrize("mechanism", [cancelled, rarely_sampled])
def test_a_program_of_which_rounding_decides_is_not_checked(mechanism):
    result = check(forged(mechanism, ONE, RECORDS))
    assert (result.accepted, result.decided) == (False, False)


@pytest.mark.parametrize("mechanism", [usual, torn, cut_off])
def test_a_program_of_which_rounding_decides_nothing_or_is_known_is_checked(mechanism):
    assert check(forged(mechanism, ONE, RECORDS)).accepted


@pytest.mark.parametrize("seed", range(10))
def test_what_is_let_pass_is_what_floats_do(seed):
    rng = np.random.default_rng(seed)
    for _ in range(300):
        a, b = (float(rng.normal() * 10.0 ** rng.integers(-6, 7)) for _ in "ab")
        c = float(np.nextafter(a, 1e9)) if rng.random() < 0.5 else b
        exact, other = number(a) + number(b), number(a + b)
        if not cancels(number(a), number(b), exact):
            assert abs(exact - other) <= abs(exact) * 2.0**-30
        if not is_torn(number(a), number(c)):
            assert a == c or abs(a - c) > 2.0**-31 * abs(a)
        if not is_nearly_whole(number(a)):
            assert math.trunc(a) == math.trunc(a * (1 + 2.0**-40))
    assert tosses(number(2.0**-33))
    assert not tosses(number(2.0**-34))
