"""Outputs of many coins: the checker keeps independent parts apart."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

from audits.local import rounded_up
from dpaudit import AnyPair, ApproxDP, Categorical, Integer, PureDP, RenyiDP
from dpaudit.checker.exact import generator
from dpaudit.checker.exact import laws as laws_module
from dpaudit.checker.exact.generator import Generator
from dpaudit.checker.exact.independent import Mixture
from dpaudit.checker.exact.laws import finite, law_of
from dpaudit.checker.exact.numbers import PRECISION, Number
from dpaudit.checker.exact.shims import NumPy
from dpaudit.checker.exact.spending import largest_ratio, spent_on
from dpaudit.checker.file import NotCheckedError
from mechanisms.rappor import permanent_response, rappor, spent
from tests.checking import check
from tests.exact_laws import UNLIMITED, certificate, claimed, of_another
from tests.unit.checker.mutations import changed

BITS = AnyPair(Categorical([0, 1]))
TEN = AnyPair(Integer(0, 9))


def twenty_coins(bit, rng):
    return (rng.random(20) < np.where(np.arange(20) == 3, 0.25 + 0.5 * bit, 0.5)).astype(int)


@pytest.fixture(scope="module")
def once():
    return certificate(permanent_response, PureDP(rounded_up(spent(0.95))), TEN)


@pytest.fixture(scope="module")
def one_report():
    return certificate(rappor, PureDP(rounded_up(spent(0.75, 0.45, 0.55))), TEN)


@pytest.mark.parametrize("name", ["once", "one_report"])
def test_a_proof_about_a_filter_of_bits_is_accepted(name, request):
    result = check(request.getfixturevalue(name))
    assert result.accepted, result.reason


@pytest.mark.parametrize("name", ["once", "one_report"])
def test_a_smaller_claim_about_a_filter_of_bits_is_rejected(name, request):
    result = check(claimed(request.getfixturevalue(name), PureDP(0.4)))
    assert result.decided
    assert "the claim is exceeded on " in result.reason


@pytest.mark.parametrize(("field", "value"), [("loss", "1/2"), ("spent", "2"), ("pairs", 3)])
def test_other_numbers_about_a_filter_of_bits_are_rejected(once, field, value):
    result = check(changed(once, ("proof", field), lambda _: value))
    assert not result.accepted
    assert result.decided


def test_the_filter_without_memory_of_its_values_is_another_mechanism(once):
    assert not check(of_another(once, rappor)).accepted


class Written:
    """A function that is written with exact numbers, on one dataset."""

    manner = "few"

    def __init__(self, mechanism, data):
        self.mechanism, self.data = mechanism, data

    def __call__(self, path):
        return self.mechanism(self.data, Generator(path))

    def same(self, path, output):
        """It is never run on floats."""


def laws(mechanism, datasets=(0, 1)):
    """Return distributions of a function that is written with exact numbers."""
    with flint.ctx.workprec(PRECISION):
        return finite(law_of(Written(mechanism, data), UNLIMITED) for data in datasets)


HALF, THREE_QUARTERS = Number(Fraction(1, 2)), Number(Fraction(3, 4))
npx = NumPy()


def of_two_coins_each(bit, rng):
    chance, coin = rng.random((2, 3))
    return npx.where(chance < THREE_QUARTERS, coin < HALF, np.array([bit, 0, 1])).astype(int)


def that_shares_a_coin(bit, rng):
    chance, coin = rng.random((2, 3))
    first = npx.where(chance < THREE_QUARTERS, coin < HALF, np.array([bit, 1 - bit, 1]))
    return [first.astype(int), (chance < HALF).astype(bool)]


def that_sums(bit, rng):
    told = npx.where(rng.random(2) < THREE_QUARTERS, np.array([bit, 0]), 1 - bit)
    coins = rng.random((3, 2)) < npx.where(told == 1, THREE_QUARTERS, HALF)
    return coins.astype(int).sum(axis=0) * 2 - 1


def that_looks_first(bit, rng):
    coins = rng.random(5) < HALF
    return [bool(coins[0]), coins[:2] if coins[0] else coins[1:], coins[4] & coins[3], ~coins]


def that_goes_two_ways(bit, rng):
    coins = rng.random(3)
    return (coins < HALF).astype(int) if coins[2] < THREE_QUARTERS else bit + (coins < HALF)


def that_estimates(bit, rng):
    reports = np.array([(rng.random(2) < THREE_QUARTERS - HALF * b).astype(int) for b in (bit, 0)])
    return (npx.asarray(reports.sum(axis=0), dtype=np.float64) - HALF) / THREE_QUARTERS


def that_outputs_floats(bit, rng):
    coins, others = rng.random(2) < HALF, rng.random(2) < THREE_QUARTERS
    known = np.array([float(bit), 2.0])
    return [npx.asarray(coins + 0, dtype=np.float64), known, others.sum(), 1 - others]


def that_shares_a_float(bit, rng):
    coins = npx.asarray((rng.random(2) < HALF).astype(int), dtype=np.float64)
    return [coins, coins * 2 + (rng.random(1) < THREE_QUARTERS), int(coins[0] > bit)]


def that_mixes_truth_and_integers(bit, rng):
    coins = rng.random(2) < HALF
    return npx.where(rng.random(2) < THREE_QUARTERS, coins, np.array([bit, 2]))


@pytest.mark.parametrize(
    "mechanism",
    [
        of_two_coins_each,
        that_shares_a_coin,
        that_sums,
        that_looks_first,
        that_goes_two_ways,
        that_estimates,
        that_outputs_floats,
        that_shares_a_float,
        that_mixes_truth_and_integers,
    ],
)
def test_undecided_coins_have_the_distribution_that_all_paths_give(mechanism, monkeypatch):
    monkeypatch.setattr(generator, "MANY", 100)
    by_paths = laws(mechanism)
    monkeypatch.setattr(generator, "MANY", 0)
    by_parts = laws(mechanism)
    for one, other in zip(by_paths, by_parts, strict=True):
        assert set(one) == set(other)
        assert all(one[key] == other[key] for key in one)


def test_several_arrays_of_few_coins_are_undecided_where_all_their_ways_are_too_many():
    def estimate(bit, rng):
        given = [THREE_QUARTERS - HALF * b for b in (bit, *[0] * 5)]
        reports = np.array([(rng.random(3) < p).astype(int) for p in given])
        return npx.asarray(reports.sum(axis=0), dtype=np.float64) / HALF

    left, right = laws(estimate)
    assert {type(value) for _, value in next(iter(left))[2]} == {Fraction}
    with flint.ctx.workprec(PRECISION):
        assert sum(left.values()) == 1
        assert largest_ratio(left, right) == 3**3


def of_two_arrays(bit, rng):
    return [rng.random(2) < (THREE_QUARTERS if bit else HALF), rng.random(2) < HALF]


def beside_many_integers(bit, rng):
    return [rng.integers(2**31), *of_two_arrays(bit, rng)]


@pytest.mark.parametrize("mechanism", [of_two_arrays, beside_many_integers])
def test_what_is_not_seen_undecided_is_seen_by_all_paths(mechanism, monkeypatch):
    expected = laws(mechanism)
    monkeypatch.setattr(generator, "MANY", 2)
    monkeypatch.setattr(laws_module, "_MULTIPLIED", 8)  # of 16 outputs
    assert [dict(law) for law in laws(mechanism)] == [dict(law) for law in expected]


@pytest.mark.parametrize(
    "computed",
    [
        lambda a, b: a + b,  # NumPy has it mean a | b
        lambda a, b: a + np.array([True, False]),
        lambda a, b: np.array([a, b]).sum(axis=0),
        lambda a, b: a - b,  # NumPy has none of these
        lambda a, b: True - a,
        lambda a, b: -a,
    ],
)
def test_truth_values_that_are_undecided_are_not_added(computed, monkeypatch):
    monkeypatch.setattr(generator, "MANY", 0)
    release = lambda bit, rng: computed(rng.random(2) < HALF, rng.random(2) < HALF)  # noqa: E731
    with pytest.raises(NotCheckedError, match="truth values that are added"):
        laws(release)


def test_negative_zero_is_another_output_than_zero_and_an_integer_another_than_a_float():
    law = laws(lambda value, rng: value, [0.0, -0.0, 0, Number(Fraction(0)), np.float64(0)])
    keys = [next(iter(each)) for each in law]
    assert keys[0] == keys[3] == keys[4]
    assert len({*keys}) == 3


def that_tells_its_coins(bit, rng):
    chance, coin = rng.random((2, 20))
    told = npx.where(chance < THREE_QUARTERS, coin < HALF, np.full(20, bit))
    return [told.astype(int), (coin < HALF).astype(int)]


def test_outputs_that_share_coins_are_one_part():
    left, right = laws(that_tells_its_coins)
    [(_, product)] = left.branches
    assert [len(part) for part in product.parts] == [3] * 20
    assert largest_ratio(left, right) is None


def test_parts_that_are_many_are_multiplied_for_ratios_and_moments():
    tilted = lambda bit, rng: rng.random(20) < (HALF if bit else THREE_QUARTERS)  # noqa: E731
    left, right = laws(tilted)
    assert isinstance(left, Mixture)
    with flint.ctx.workprec(PRECISION):
        assert largest_ratio(left, right) == Fraction(3, 2) ** 20
        assert largest_ratio(right, left) == 2**20
        spent_here = spent_on(left, right, RenyiDP(2, 3.0))
        assert spent_here.amount == (Fraction(9, 16) * 2 + Fraction(1, 16) * 2) ** 20
        with pytest.raises(NotCheckedError, match="delta of very many outputs"):
            spent_on(left, right, ApproxDP(1.0, 0.1))


def test_a_bit_that_is_told_without_noise_excludes_the_other():
    told = lambda bit, rng: [bit, rng.random(20) < HALF]  # noqa: E731
    left, right = laws(told)
    with flint.ctx.workprec(PRECISION):
        assert largest_ratio(left, right) is None
        assert largest_ratio(left, left) == 1


def of_two_shapes(bit, rng):
    coins = rng.random(20) < HALF
    first = bool(rng.random() < (THREE_QUARTERS if bit else HALF))
    return [first, coins if first else coins[:15]]


def test_shapes_that_exclude_each_other_are_compared_with_their_chances():
    left, right = laws(of_two_shapes)
    with flint.ctx.workprec(PRECISION):
        assert largest_ratio(left, right) == 2  # 1/2 against 1/4 of the shorter one
        assert largest_ratio(right, left) == Fraction(3, 2)
        moment = spent_on(left, right, RenyiDP(2, 3.0)).amount
        assert moment == Fraction(1, 4) / Fraction(3, 4) + 1


def test_a_proof_of_twenty_coins_is_accepted_and_a_smaller_claim_is_not():
    found = certificate(twenty_coins, PureDP(math.log(3)), BITS)
    assert check(found).accepted
    assert "the claim is exceeded on " in check(claimed(found, PureDP(1.0))).reason
