"""Outputs whose density is constant on pieces: what is proved of them, and what must not be."""

from fractions import Fraction
from functools import partial
from math import exp

import numpy as np
import pytest

from dpaudit import AnyPair, ApproxDP, GaussianDP, Integer, PureDP, Real
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.piecewise_mean_debug_build import piecewise_mean_debug_build
from mechanisms.flawed.piecewise_mean_wrong_c import piecewise_mean_wrong_c
from mechanisms.flawed.staircase_from_one import staircase_from_one
from mechanisms.piecewise_mean import piecewise_mean
from mechanisms.staircase import staircase

ONE, UNIT = AnyPair(Real(0, 1)), AnyPair(Real(-1, 1))
ANYTHING = AnyPair(Real(-1, 1, enforced=False, allow_nan=True, allow_infinity=True))


def proved(mechanism, epsilon=1.0, neighbors=ONE):
    return prove_exact(lift(mechanism), PureDP(epsilon), neighbors)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "neighbors"),
    [
        (staircase, 1.0, ONE),
        (staircase, 1.0, AnyPair(Integer(0, 1))),
        (partial(staircase, gamma=0.8), 1.0, ONE),
        (partial(staircase, epsilon=0.1), 0.1, ONE),
        (partial(staircase, sensitivity=2.0), 1.0, UNIT),
        (piecewise_mean, 1.0, ANYTHING),
        (partial(piecewise_mean, epsilon=0.3), 0.3, ANYTHING),
        (piecewise_mean_wrong_c, 1.5, UNIT),
    ],
)
def test_a_density_of_pieces_is_proved_with_its_exact_loss(mechanism, epsilon, neighbors):
    proof = proved(mechanism, epsilon, neighbors)
    assert float(Fraction(proof.conclusion.loss)) == pytest.approx(epsilon)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "neighbors"),
    [
        (staircase, 0.99, ONE),
        (staircase, 1.0, AnyPair(Real(0, 1.01))),
        (staircase, 1.0, AnyPair(Real(0, 1, allow_nan=True))),
        (staircase, 1.0, AnyPair(Real(0, 1, enforced=False))),
        (partial(staircase, epsilon=1e-9), 1e-9, ONE),  # floats lose the chance
        (piecewise_mean, 0.99, UNIT),
        (partial(piecewise_mean, epsilon=1e-9), 1e-9, UNIT),  # and what is left of e^(ε/2) − 1
        (staircase_from_one, 9.0, ONE),
        (piecewise_mean_debug_build, 9.0, UNIT),
        (piecewise_mean_wrong_c, 1.0, UNIT),
    ],
)
def test_no_flawed_twin_is_proved(mechanism, epsilon, neighbors):
    with pytest.raises(Unsupported):
        proved(mechanism, epsilon, neighbors)


def test_densities_say_nothing_of_other_claims():
    assert prove_exact(lift(staircase), ApproxDP(1.0, 0.1), ONE)
    with pytest.raises(Unsupported):
        prove_exact(lift(staircase), GaussianDP(9.0), ONE)


# --- other ways to write it, all of them right


def with_one_number_for_coin_and_place(value, rng):
    """In [t, t + 1] at three times the density of the rest of [0, 2]."""
    u = rng.random()
    t = min(1.0, max(0.0, value))
    if u < 0.75:
        return t + u / 0.75
    rest = 4 * (u - 0.75)
    return rest if t > rest else rest + 1


def by_uniform(value, rng):
    t = np.fmin(np.fmax(value, 0.0), 1.0)
    if rng.random() < 0.5:
        return rng.uniform(0.0, 2.0)
    return rng.uniform(t, t + 1) if rng.random() < 0.5 else rng.uniform(low=0.0, high=2.0)


def two_sided_geometric_and_uniform(value, rng):
    """Steps of one height in each period: γ is 0 or 1."""
    noise = rng.geometric(1 - exp(-0.5)) - rng.random()
    return value + (noise if rng.random() < 0.5 else -noise)


def test_a_coin_and_a_place_may_come_from_one_number():
    assert proved(with_one_number_for_coin_and_place, 1.1, ONE)  # ln 3 is 1.0986
    with pytest.raises(Unsupported):
        proved(with_one_number_for_coin_and_place, 1.09, ONE)


def test_geometric_steps_may_be_filled_evenly():
    assert proved(two_sided_geometric_and_uniform, 0.5)
    with pytest.raises(Unsupported):
        proved(two_sided_geometric_and_uniform, 0.49)


def test_pieces_that_lie_over_one_another_add_up():
    assert proved(by_uniform, 0.52)  # 5/8 over 3/8
    with pytest.raises(Unsupported):
        proved(by_uniform, 0.51)


# --- one step changed each


def keeps_nan(value, rng):
    t = min(1.0, max(value, 0.0))  # in this order NaN stays
    u = 3 * rng.random()
    return u if u < t else u + 1


def gap_that_moves(value, rng):
    """The support is [0, t] and [t + 1, 4]."""
    t = min(1.0, max(0.0, value))
    u = 3 * rng.random()
    return u if u < t else u + 1


def support_that_moves(value, rng):
    t = min(1.0, max(0.0, value))
    return t + rng.random()


def chance_that_moves(value, rng):
    """A coin of the number, and a place that has nothing to do with it."""
    t = min(1.0, max(0.0, value))
    return rng.random() / 2 if rng.random() < t else 0.5 + rng.random() / 2


def sum_of_two(value, rng):
    return rng.random() + rng.random()


def swallowed(value, rng):
    noise = 1e17 + 2 * rng.geometric(0.5) - 2 * rng.random()
    return value + (noise if rng.random() < 0.5 else -noise)


def swallowed_by_noise(value, rng):
    """Multiples of 16 are left of the number."""
    large = 1e17 * rng.random()
    noise = 2 * rng.geometric(0.5) - 2 * rng.random()
    return ((value + large) - large) + (noise if rng.random() < 0.5 else -noise)


def boundaries_that_move(value, rng):
    """Pieces A, B, A, B, B of a period, of which all but the last begin or end at v."""
    step, v = rng.geometric(0.5) - 1, value / 2
    if rng.random() < 0.75:
        u = rng.random()
        part = 0.5 * u if u < v else 0.5 * u + 0.25
    else:
        w = rng.random()
        part = 0.5 * w + 0.75 if w < v else 0.5 * w if w < v + 0.5 else 0.5 * w + 0.5
    sign = 1 if rng.random() < 0.5 else -1
    return value + sign * (step + part)


def cancelled(value, rng):
    t = (min(1.0, max(0.0, value)) + 1e17) - 1e17
    u = 3 * rng.random()
    return u if u < t else u + 1


def of_one_sign(value, rng):
    return value + rng.geometric(0.5) - rng.random()


def of_uneven_signs(value, rng):
    noise = rng.geometric(0.5) - rng.random()
    return value + (noise if rng.random() < 0.6 else -noise)


def of_two_lengths(value, rng):
    noise = rng.geometric(0.5) - rng.random()
    return value + (noise if rng.random() < 0.5 else -2 * noise)


def with_a_hole(value, rng):
    noise = rng.geometric(0.5) - rng.random() / 2
    return value + (noise if rng.random() < 0.5 else -noise)


def doubled_value(value, rng):
    noise = rng.geometric(0.5) - rng.random()
    return 2 * value + (noise if rng.random() < 0.5 else -noise)


def itself_now_and_then(value, rng):
    noise = rng.geometric(0.5) - rng.random()
    return value + noise if rng.random() < 0.5 else value


def difference_of_itself(value, rng):
    """NaN less NaN is NaN, which 0 is not."""
    u = 3 * rng.random() + (value - value)
    return u


def times_nothing(value, rng):
    return 0 * value + rng.random()


def seldom_beside_itself(value, rng):
    """A coin that no float of `random` shows: the second piece is never reached."""
    if rng.random() < 1e-17:
        return 1 + rng.random()
    return rng.random()


def seldom_between_two(value, rng):
    u = rng.random()
    if u < 0.5:
        return rng.random()
    return 1 + rng.random() if u < 0.5000000000000001 else 2 + rng.random()


@pytest.mark.parametrize("mechanism", [seldom_beside_itself, seldom_between_two])
def test_coins_that_floats_do_not_toss_make_no_piece(mechanism):
    with pytest.raises(Unsupported, match="floats do not tell"):
        proved(mechanism, 60.0)


def test_pieces_of_noise_lie_where_they_do_whatever_the_data_is():
    with pytest.raises(Unsupported, match="pieces of noise that depend on the data"):
        proved(boundaries_that_move, 9.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        keeps_nan,
        gap_that_moves,
        support_that_moves,
        chance_that_moves,
        sum_of_two,
        swallowed,
        swallowed_by_noise,
        cancelled,
        of_one_sign,
        of_uneven_signs,
        of_two_lengths,
        with_a_hole,
        doubled_value,
        itself_now_and_then,
        difference_of_itself,
        times_nothing,
    ],
)
def test_what_is_another_density_is_not_proved(mechanism):
    neighbors = ANYTHING if mechanism in (keeps_nan, difference_of_itself, times_nothing) else ONE
    with pytest.raises(Unsupported):
        proved(mechanism, 0.75, neighbors)
