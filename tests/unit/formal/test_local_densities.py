# ruff: noqa: NPY002 - as public code draws
"""Local randomizers with continuous reports, in the spellings of public code, and broken twins."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from dpaudit import AnyPair, Integer, PureDP, Real
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.trial.events import _Number, _whatever_rounds
from dpaudit.formal.trial.laws import Uniform
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved
from tests.sweeps import thinned

UNIT, PART = AnyPair(Real(-1, 1)), AnyPair(Real(0, 1))
ONE = PureDP(1.0)


class Piecewise:
    def __init__(self, eps, kept=None):
        e = math.exp(eps / 2)
        self.c = (e + 1) / (e - 1)
        self.p = e / (e + 1) if kept is None else kept

    def perturb(self, t):
        low = (self.c + 1) / 2 * t - (self.c - 1) / 2
        high = low + self.c - 1
        if np.random.random() < self.p:
            return np.random.uniform(low, high)
        rest = np.random.random() * (self.c + 1)
        return rest - self.c if rest < low + self.c else rest - low - self.c + high


class PieceByPiece(Piecewise):
    """The rest by a coin whose chance is the share of the record's left side."""

    def perturb(self, t):
        low = (self.c + 1) / 2 * t - (self.c - 1) / 2
        high = low + self.c - 1
        if np.random.random() < self.p:
            return np.random.uniform(low, high)
        left = low + self.c
        if np.random.random() < left / (left + self.c - high):
            return np.random.uniform(-self.c, low)
        return np.random.uniform(high, self.c)


def duchi(t, eps):
    e = math.exp(eps)
    bit = np.random.binomial(1, (e - 1) / (2 * e + 2) * t + 0.5)
    return (e + 1) / (e - 1) * (2 * bit - 1)


def hybrid(t, eps=1.0, share=None):
    share = 1 - math.exp(-eps / 2) if share is None else share
    return Piecewise(eps).perturb(t) if random.random() < share else duchi(t, eps)


def square_wave(v, eps=1.0):
    e = math.exp(eps)
    b = (eps * e - e + 1) / (2 * e * (e - 1 - eps))
    if random.random() < 2 * b * e / (2 * b * e + 1):
        return random.uniform(v - b, v + b)
    u = random.random()
    return u - b if u < v else u + b


def staircase_by_bits(x, eps=1.0, first=1):
    g = 1 / (1 + math.exp(eps / 2))
    sign = random.choice([-1, 1])
    steps = np.random.geometric(1 - math.exp(-eps)) - first
    b = np.random.binomial(1, 1 - g / (g + (1 - g) * math.exp(-eps)))
    u = np.random.uniform()
    return x + 2 * sign * ((1 - b) * (steps + g * u) + b * (steps + g + (1 - g) * u))


def tagged(t):
    """A public coin says which half of the budget's mechanisms made the report."""
    if random.random() < 0.3:
        return {"how": "duchi", "value": duchi(t, 1.0)}
    return {"how": "pieces", "value": Piecewise(1.0).perturb(t)}


SOUND = [
    (lambda t: Piecewise(1.0).perturb(float(t)), UNIT),
    (lambda t: duchi(t, 1.0), UNIT),
    (hybrid, UNIT),
    (square_wave, PART),
    (staircase_by_bits, UNIT),
    (tagged, UNIT),
    (lambda x: duchi(x / 4, 1.0), AnyPair(Integer(-4, 4))),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_reports_with_a_density_are_proved(mechanism, neighbors):
    assert is_proved(mechanism, ONE, neighbors)


def test_a_coin_that_is_a_share_of_the_record_has_its_exact_law():
    def response(t):
        return PieceByPiece(1.0).perturb(t)

    def kept_too_often(t):
        return PieceByPiece(1.0, kept=0.74).perturb(t)

    assert prove_exact(lift(response), ONE, UNIT).conclusion.loss == "1"
    with pytest.raises(Unsupported):
        prove_exact(lift(kept_too_often), ONE, UNIT)


def wave_to_a_private_end(v):
    """Reports above v + b come from a range that begins at v: a gap shows the record."""
    e = math.exp(1.0)
    b = 1 / (2 * e * (e - 2))
    if random.random() < 2 * b * e / (2 * b * e + 1):
        return random.uniform(v - b, v + b)
    return random.uniform(-b, v) if random.random() < v else random.uniform(v + b, 1 + b)


def tells_when(t):
    """The form of the report depends on the record."""
    return (Piecewise(1.0).perturb(t), 1) if t > 0.5 else (Piecewise(1.0).perturb(t), 0)


def two_numbers(t):
    """Twice the price."""
    return [Piecewise(1.0).perturb(t), Piecewise(1.0).perturb(t)]


def draw_used_twice(t):
    """The coin that keeps the record also says where in the piece the report lies."""
    u = random.random()
    return (t + 1) / 2 + u if u < 0.75 else 2 * u


BROKEN = [
    (lambda t: Piecewise(1.0, kept=0.74).perturb(t), UNIT),
    (lambda t: duchi(t, 1.1), UNIT),
    (lambda t: duchi(1.1 * t, 1.0), UNIT),
    (lambda v: square_wave(v, 1.05), PART),
    (square_wave, AnyPair(Real(0, 1.1))),
    (lambda x: staircase_by_bits(x, first=0), UNIT),
    (staircase_by_bits, AnyPair(Real(-1.1, 1))),
    (wave_to_a_private_end, PART),
    (tells_when, UNIT),
    (two_numbers, UNIT),
    (draw_used_twice, UNIT),
    (lambda t: Piecewise(1.0).perturb(t), AnyPair(Real(-1, 1, allow_nan=True))),
    (lambda t: Piecewise(1.0).perturb(t), AnyPair(Real(-1, 1, enforced=False))),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(BROKEN))
def test_reports_with_another_density_are_not_proved(mechanism, neighbors):
    assert not is_proved(mechanism, ONE, neighbors)


def test_an_end_of_a_density_that_rounding_moves_is_no_witness():
    """1 + b of real numbers is 2e-17 beyond the float: above it only one dataset has outputs."""
    end = Fraction(1.2560829375014726)
    here = {_Number(Fraction(0), Fraction(1), Uniform(Fraction(0), end + Fraction(1, 10**16))): 1}
    there = {_Number(Fraction(0), Fraction(1), Uniform(Fraction(0), end)): 1}
    p, q = _whatever_rounds((here, there), end, upper=True)
    assert p == 0
    assert q > 0


# --- ends that are no floats, and weights that are added up


def around_an_end(x, at_the_end=0.25):
    """Answer from an interval around the record, which is cut off where it leaves [0, 1]."""
    c = (math.exp(0.5) - 1) / (2 * math.exp(1) - 2)
    if x == c:
        near = at_the_end
    elif x < c:
        near = 0.0
    else:
        near = min(x, 1 - c) - c
    if random.uniform(0, 1) < 2 * c * math.exp(0.5):
        return random.uniform(near, near + 2 * c)
    rest = random.random() * (1 - 2 * c)
    return rest if rest < near else rest + 2 * c


def by_parts(x):
    c = (math.exp(0.5) - 1) / (2 * math.exp(1) - 2)
    low = 0.0 if x < c else 1 - 2 * c if x > 1 - c else x - c
    if random.uniform(0, 1) < 2 * c * math.exp(0.5):
        return random.uniform(low, low + 2 * c)
    rest = random.random() * (1 - 2 * c)
    return rest if rest < low else rest + 2 * c


def by_weights(x, eps=1.0, k=4):
    weights = np.zeros(k)
    for i in range(k):
        weights[i] = np.e ** (eps if i == x else 0)
    weights = weights / sum(weights)
    drawn = random.uniform(0, 1)
    for i in range(k):
        if drawn <= sum(weights[: i + 1]):
            return i
    return k - 1


def test_an_end_that_is_no_float_belongs_to_the_side_of_the_float_that_is_computed():
    assert is_proved(by_parts, ONE, PART)


@pytest.mark.parametrize("at_the_end", [-0.25, 1.0])
def test_what_is_done_at_an_end_that_is_no_float_counts(at_the_end):
    assert not is_proved(lambda x: around_an_end(x, at_the_end), ONE, PART)


def test_numbers_that_are_written_into_an_array_stay_exact():
    assert is_proved(lambda x: by_weights(x), ONE, AnyPair(Integer(0, 3)))
    assert not is_proved(lambda x: by_weights(x, 1.01), ONE, AnyPair(Integer(0, 3)))
    assert not is_proved(lambda x: by_weights(x)[0:1] if x == 9 else x, ONE, AnyPair(Integer(0, 3)))


def lost(x, large):
    """A coin of 1/5 or 4/5; added to a large number and taken off again it is another coin."""
    chance = (large + (1 + 3 * x) / 5) - large
    return int(random.random() < chance)


@pytest.mark.parametrize("large", [2.0**30 / 3, 1e15, 1e18])
def test_a_chance_that_floats_lose_is_not_proved(large):
    assert is_proved(lambda x: lost(x, 3.0), PureDP(1.4), AnyPair(Integer(0, 1)))
    assert not is_proved(lambda x: lost(x, large), PureDP(1.4), AnyPair(Integer(0, 1)))


# --- a record that is rounded down, and coins of each record


def into_cells(x, k=5, eps=1.0):
    at = min(math.floor(x * k), k - 1)
    if random.random() < math.exp(eps) / (math.exp(eps) + k - 1):
        return at / k
    return random.choice([each for each in range(k) if each != at]) / k


def rest_of_a_cell(x, k=5, eps=1.0):
    return into_cells(x, k, eps), x * k - math.floor(x * k) > 0.5


def test_the_cell_of_a_record_is_hidden():
    assert is_proved(lambda x: into_cells(x), ONE, PART)
    assert not is_proved(lambda x: into_cells(x, k=5, eps=1.01), ONE, PART)
    assert not is_proved(lambda x: rest_of_a_cell(x), ONE, PART)


def coins(x, eps=1.0):
    bits = np.zeros(4)
    bits[x] = 1
    return np.random.binomial(1, np.where(bits == 1, 0.5, 1 / (math.exp(eps) + 1)))


def coins_of_a_size(x, eps=1.0):
    chances = np.array([0.5 if k == x else 1 / (math.exp(eps) + 1) for k in range(4)])
    return np.random.binomial(1, chances, size=4).tolist()


@pytest.mark.parametrize("encode", [coins, coins_of_a_size])
def test_coins_may_have_chances_of_their_own(encode):
    assert is_proved(lambda x: encode(x), ONE, AnyPair(Integer(0, 3)))
    assert not is_proved(lambda x: encode(x, 1.01), ONE, AnyPair(Integer(0, 3)))
