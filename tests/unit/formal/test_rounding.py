# ruff: noqa: SIM110 - one notation for all
"""Where floats are far from the real numbers that they stand for, nothing is proved of reals."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

from dpaudit import AddRemove, AnyPair, Integer, PureDP, QueryAnswers, Real, Verdict, verify
from dpaudit.checker import rounding
from dpaudit.checker.exact.numbers import PRECISION, Number, keeps_chance, number
from dpaudit.formal.alignment.prove import prove_by_alignment
from dpaudit.formal.clock import now
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.exact import prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from tests.proving import is_proved

RECORDS = AddRemove(Real(0, 10))


def scale_that_cancels(data, rng):
    return len(data) + rng.laplace(scale=(1e16 + 1.0) - 1e16)


def noise_that_is_always_one(data, rng):
    chance = 1 - math.exp(-60.0)
    return len(data) + rng.geometric(chance) - rng.geometric(chance)


def test_geometric_noise_whose_chance_is_one_in_floats_is_no_noise_to_a_proof():
    answers, claim = AddRemove(Integer(0, 1), max_size=6), PureDP(60.0)
    assert noise_that_is_always_one([1], np.random.default_rng(0)) == 1
    assert not is_proved(noise_that_is_always_one, claim, answers)


@pytest.mark.parametrize(
    ("rate", "kept"),
    [("1e-12", False), ("5e-8", False), ("1e-7", True), ("16.6", True), ("16.7", False)],
)
def test_chances_are_lost_beside_0_and_1(rate, kept):
    rate = Fraction(rate)
    with flint.ctx.workprec(PRECISION):
        assert keeps_chance(1 - Number(-rate).exp()) is kept


def noise_that_hardly_falls(data, rng):
    chance = 1 - math.exp(-1e-12)
    return len(data) + rng.geometric(chance) - rng.geometric(chance)


@pytest.mark.parametrize(
    ("prove", "neighbors"),
    [
        (prove_by_cost, AddRemove(Integer(0, 1))),
        (prove_exact, AddRemove(Integer(0, 1), max_size=2)),
    ],
)
def test_geometric_noise_whose_chance_is_nearly_nothing_is_not_proved(prove, neighbors):
    deadline = now() + 20
    with pytest.raises(
        Unsupported, match=r"floats|a scale that is not known|without a known distribution"
    ):
        prove(lift(noise_that_hardly_falls), PureDP(1e-12), neighbors, deadline=deadline)


def scale_that_cancels_in_steps(data, rng):
    scale = 1e16
    scale += 1.0
    scale += 1.0
    scale -= 1e16
    return len(data) + rng.laplace(scale=max(scale, 0.25))


def bound_that_cancels(data, rng):
    high = (1e16 + 3.0) - 1e16  # 4.0
    return np.sum(np.clip(data, 0.0, high)) + rng.laplace(scale=3.0)


def seven_releases_that_look_like_six(data, rng):
    return [len(data) + rng.laplace(scale=6.0) for _ in range(int(0.7 * 10))]


def seven_by_division(data, rng):
    return [len(data) + rng.laplace(scale=6.0) for _ in range(int((0.7 * 10) // 1))]


def order_that_floats_change(data, rng):
    noise = rng.laplace(scale=1.0)
    return len(data) + (0.5 * noise if 1e16 + 1.0 == 1e16 else noise)


def sum_with_a_large_one(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x, 0.0), 1.0)
    return (total + 1e16) - 1e16 + rng.laplace(scale=1.0)


def logarithm_of_almost_one(data, rng):
    return len(data) + rng.laplace(scale=max(0.5, 1e17 * np.log(1.0 + 1e-17)))


def exponential_of_almost_nothing(data, rng):
    return len(data) + rng.laplace(scale=max(0.5, 1e17 * (np.exp(1e-17) - 1.0)))


@pytest.mark.parametrize(
    "mechanism",
    [
        scale_that_cancels,
        scale_that_cancels_in_steps,
        bound_that_cancels,
        seven_releases_that_look_like_six,
        seven_by_division,
        order_that_floats_change,
        logarithm_of_almost_one,
        exponential_of_almost_nothing,
    ],
)
def test_no_cost_is_proved_of_numbers_that_floats_do_not_have(mechanism):
    with pytest.raises(Unsupported):
        prove_by_cost(lift(mechanism), PureDP(1.0), RECORDS, deadline=now() + 10)


def test_what_real_numbers_keep_and_floats_break_is_refuted():
    assert verify(sum_with_a_large_one, PureDP(1.0), RECORDS).verdict is Verdict.REFUTED


def hits_at_a_threshold_that_cancels(answers, rng):
    noisy = rng.laplace(scale=2 * ((1e16 + 1.0) - 1e16) + 0.1)
    for answer in answers:
        if answer + rng.laplace(scale=4.0) >= noisy:
            return True
    return False


def hits_of_answers_beside_a_large_one(answers, rng):
    noisy = rng.laplace(scale=2.0)
    for answer in answers:
        if ((answer + 1e16) - 1e16) + rng.laplace(scale=4.0) >= noisy:
            return True
    return False


@pytest.mark.parametrize(
    "mechanism", [hits_at_a_threshold_that_cancels, hits_of_answers_beside_a_large_one]
)
def test_no_alignment_is_proved_of_numbers_that_floats_do_not_have(mechanism):
    program, end = lift(mechanism), now() + 10
    with pytest.raises(Unsupported, match="cancel in floats"):
        prove_by_alignment(program, PureDP(1.0), QueryAnswers(5), deadline=end)


def answer_kept_too_often(bit, rng):
    keep = 0.5 + ((1e16 + 3.0) - 1e16) * 0.1  # 0.9
    return bit if rng.random() < keep else 1 - bit


def answer_kept_by_a_cut_number(bit, rng):
    keep = 0.2 + 0.1 * int(0.7 * 10)  # 0.9
    return bit if rng.random() < keep else 1 - bit


def test_no_distribution_is_computed_of_numbers_that_floats_do_not_have():
    bits = AnyPair(Integer(0, 1))
    with pytest.raises(Unsupported):
        prove_exact(lift(answer_kept_too_often), PureDP(1.5), bits, deadline=now() + 10)


def test_a_public_number_is_cut_as_floats_cut_it():
    bits = AnyPair(Integer(0, 1))
    assert not is_proved(answer_kept_by_a_cut_number, PureDP(2.19), bits)
    assert is_proved(answer_kept_by_a_cut_number, PureDP(2.2), bits)


def usual_arithmetic(data, rng, *, epsilon=1.0, delta=1e-12):
    share = 1 - delta
    scale = 10 * (1 + 1e-9) / (epsilon * share)
    rounds = int(0.5 * 4)
    return [np.sum(np.clip(data, 0.0, 10.0)) + rng.laplace(scale=rounds * scale) for _ in range(2)]


def test_rounding_in_the_last_digits_is_left_out():
    assert verify(usual_arithmetic, PureDP(1.0), RECORDS).verdict is Verdict.VERIFIED


def test_sums_cancel_where_most_of_their_bits_are_lost():
    a, b = Fraction(10**16 + 1), Fraction(10**16)
    assert rounding.cancels(a, b, a - b)
    assert not rounding.cancels(Fraction(5), Fraction(3), Fraction(2))
    assert not rounding.cancels(Fraction(1.0), Fraction(1e-12), 1 - Fraction(1e-12))


def test_numbers_are_torn_where_they_are_close_and_not_equal():
    assert rounding.is_torn(Fraction(0.1) + Fraction(0.2), Fraction(0.3))
    assert not rounding.is_torn(Fraction(0.3), Fraction(0.3))
    assert rounding.is_nearly_whole(number(Fraction(0.7) * 10))
    assert not rounding.is_nearly_whole(number(Fraction(7)))
    assert not rounding.is_nearly_whole(number(Fraction(0.3) * 10 + Fraction(1, 3)))


def below_nearly_one(bit, rng):
    return rng.random() < 1 - 1e-17 * bit


def below_nearly_nought(bit, rng):
    return rng.random() < (1e-18 if bit else 1e-17)


def shifted_out_of_sight(bit, rng):
    return bool(rng.random() * 0.0 + 1e-20 * bit + 1.0 > 1.0)


def chosen_nearly_surely(bit, rng):
    return int(rng.choice(2, p=[1 - 1e-17, 1e-17] if bit else [1.0, 0.0]))


def tossed_nearly_surely(bit, rng):
    return int(rng.binomial(1, 1 - 1e-17 * bit))


@pytest.mark.parametrize(
    "mechanism",
    [below_nearly_one, below_nearly_nought, shifted_out_of_sight, chosen_nearly_surely,
     tossed_nearly_surely],
)  # fmt: skip
def test_what_floats_cannot_tell_apart_refutes_nothing(mechanism):
    """Each has one law on both bits when it runs, whatever real numbers would give."""
    report = verify(mechanism, PureDP(0.5), AnyPair(Integer(0, 1)), timeout=10)
    assert report.verdict is Verdict.INCONCLUSIVE


def rarely(bit, rng):
    return bool(rng.random() < 1e-9 * bit)


def test_what_is_rare_refutes_where_floats_tell_it():
    report = verify(rarely, PureDP(0.5), AnyPair(Integer(0, 1)))
    assert report.verdict is Verdict.REFUTED


def sum_beside_many_records(data, rng):
    n = len(data)
    return float(np.clip(data, 0, 1).sum()) + 1e17 * n - 1e17 * n + rng.laplace(scale=1.0)


def records_shifted_and_back(data, rng):
    return ((np.clip(data, 0, 1) + 1e17) - 1e17).sum() + rng.laplace(scale=1.0)


def counts_shifted_and_back(data, rng):
    counts = np.bincount(np.clip(data, 0, 2).astype(int), minlength=3)
    return counts + 1e17 - 1e17 + rng.laplace(scale=1.0, size=3)


@pytest.mark.parametrize(
    "mechanism", [sum_beside_many_records, records_shifted_and_back, counts_shifted_and_back]
)
def test_large_numbers_that_cancel_are_refused_whatever_they_grow_with(mechanism):
    report = verify(mechanism, PureDP(1.0), RECORDS)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "the proof is of real numbers, not of floats" in report.reason


def records_about_their_middle(data, rng):
    shifted = np.clip(data, 0, 1) - 0.5
    return shifted.sum() + 200.0 * len(data) / 400 + rng.laplace(scale=1.0)


def test_numbers_of_one_size_are_added_up():
    assert prove_by_cost(lift(records_about_their_middle), PureDP(1.0), RECORDS)


def told_by_a_rest(x, rng):
    y = (x + 0.1) - 0.1
    return int(rng.random() < 0.5) if y == x else 7


@pytest.mark.parametrize("records", [Integer(0, 20), Real(0, 1)])
def test_what_is_equal_as_real_numbers_alone_is_not_proved(records):
    """Of 0, 1, 2, 3 floats keep all; of 4 they do not."""
    assert [told_by_a_rest(x, np.random.default_rng(0)) == 7 for x in (3, 4)] == [False, True]
    program, pairs = lift(told_by_a_rest), AnyPair(records)
    with pytest.raises(Unsupported, match=r"rounding|cancels out"):
        prove_exact(program, PureDP(0.1), pairs, deadline=math.inf)


def share_of_a_third(x, rng):
    return bool(rng.random() < 0.75) if x / 3 == x / 3 and x * 3 - x == 2 * x else 7


def test_what_floats_compare_alike_is_proved():
    pairs = AnyPair(Integer(0, 20))
    assert prove_exact(lift(share_of_a_third), PureDP(0.0), pairs, deadline=math.inf)
