"""Randomized responses of records: in order, shuffled, counted; and what only looks like them."""

import itertools
import math
from fractions import Fraction
from math import exp

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, ApproxDP, Integer, PureDP, Real, ReplaceOne
from dpaudit.checker.cost import responses
from dpaudit.checker.exact.numbers import Number
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from mechanisms.shuffled_reports import amplified_delta, shuffled_reports
from tests.checking import check
from tests.unit.checker.mutations import changed

TWENTY = ReplaceOne(Integer(0, 1), 20)


def paid_for(mechanism, claim, neighbors=TWENTY):
    """Return whether a proof is found; no other way of reasoning knows this noise."""
    try:
        prove_by_cost(lift(mechanism), claim, neighbors)
    except Unsupported:
        return False
    return True


def proved(mechanism, claim, neighbors=TWENTY):
    report = dpaudit.verify(mechanism, claim, neighbors)
    return report.checked


def ordered(data, rng):
    return data ^ (rng.random(len(data)) > 1 / (1 + exp(-1.0)))


def kept_or_turned(data, rng):
    return (1 - data) ^ (1 / (1 + exp(-1.0)) > rng.random(len(data)))


def first_ten(data, rng):
    return rng.permutation(ordered(data[:10], rng))


@pytest.mark.parametrize("mechanism", [ordered, kept_or_turned, first_ten])
def test_each_report_costs_what_one_coin_does(mechanism):
    assert proved(mechanism, PureDP(1.0))
    assert not paid_for(mechanism, PureDP(0.2))


def test_what_k_records_change_costs_k_coins():
    pairs = ReplaceOne(Integer(0, 1), 20, group=2)
    assert proved(ordered, PureDP(2.0), pairs)
    assert not paid_for(ordered, PureDP(1.0), pairs)
    assert not paid_for(shuffled_reports, ApproxDP(0.25, 0.2), pairs)


@pytest.mark.parametrize(("mechanism", "n"), [(shuffled_reports, 20), (first_ten, 10)])
def test_shuffled_reports_tell_how_many_are_one(mechanism, n):
    delta = amplified_delta(n, 1.0, 0.25)
    assert proved(mechanism, ApproxDP(0.25, delta))
    less = ApproxDP(0.25, delta * 0.999)
    assert not paid_for(mechanism, less)


def test_reports_in_order_are_not_taken_for_shuffled_ones():
    claim = ApproxDP(0.25, amplified_delta(20, 1.0, 0.25))
    assert not paid_for(ordered, claim)


def coins_are_shown(data, rng):
    lies = rng.random(len(data)) > 1 / (1 + exp(-1.0))
    return data ^ lies, lies


def coins_are_shown_first(data, rng):
    lies = rng.random(len(data)) > 1 / (1 + exp(-1.0))
    return lies.sum(), data ^ lies


def draws_are_shown(data, rng):
    uniform = rng.random(len(data))
    return data ^ (uniform > 1 / (1 + exp(-1.0))), uniform


def same_draws_twice(data, rng):
    uniform = rng.random(len(data))
    return data ^ (uniform > 1 / (1 + exp(-1.0))), data ^ (uniform > 0.9)


def one_coin_for_all(data, rng):
    return data ^ (rng.random() > 1 / (1 + exp(-1.0)))


def one_coin_in_an_array(data, rng):
    return data ^ (rng.random(1) > 1 / (1 + exp(-1.0)))


def a_draw_is_changed(data, rng):
    uniform = rng.random(len(data))
    uniform[0] = 0.0
    return data ^ (uniform > 1 / (1 + exp(-1.0)))


def a_coin_is_changed(data, rng):
    lies = rng.random(len(data)) > 1 / (1 + exp(-1.0))
    lies[0] = False
    return data ^ lies


def a_report_is_changed(data, rng):
    reports = ordered(data, rng)
    reports[0] = data[0]
    return reports


def in_order_and_shuffled(data, rng):
    reports = ordered(data, rng)
    return reports, rng.permutation(reports)


def shuffled_without_lies(data, rng):
    return rng.permutation(data)


def rare_lies(data, rng):
    return data ^ (rng.random(len(data)) > 0.9)


def bits_that_move_together(data, rng):
    return np.minimum(np.cumsum(data), 1) ^ (rng.random(len(data)) > 1 / (1 + exp(-1.0)))


@pytest.mark.parametrize(
    "mechanism",
    [
        coins_are_shown,
        coins_are_shown_first,
        draws_are_shown,
        same_draws_twice,
        one_coin_for_all,
        one_coin_in_an_array,
        a_draw_is_changed,
        a_coin_is_changed,
        a_report_is_changed,
        in_order_and_shuffled,
        shuffled_without_lies,
        rare_lies,
        bits_that_move_together,
    ],
)
def test_what_is_no_randomized_response_is_not_proved(mechanism):
    assert not paid_for(mechanism, PureDP(1.0))


@pytest.mark.parametrize(
    "neighbors",
    [
        ReplaceOne(Integer(0, 2), 20),
        ReplaceOne(Integer(-1, 1), 20),
        ReplaceOne(Real(0, 1), 20),
        AddRemove(Integer(0, 1), max_size=20),
    ],
)
def test_records_that_are_no_bits_or_come_and_go_are_not_proved(neighbors):
    assert not paid_for(ordered, PureDP(1.0), neighbors)


def enumerated(n, lie, epsilon):
    """Return delta of the number of ones, over all datasets and all outcomes of the coins."""
    worst = 0.0
    for bits in itertools.product((0, 1), repeat=n):
        for other in ((1 - bits[0], *bits[1:]),):
            laws = []
            for x in (bits, other):
                law = [0.0] * (n + 1)
                for flips in itertools.product((0, 1), repeat=n):
                    p = math.prod(lie if f else 1 - lie for f in flips)
                    law[sum(a ^ b for a, b in zip(x, flips, strict=True))] += p
                laws.append(law)
            gains = (max(0.0, p - math.exp(epsilon) * q) for p, q in zip(*laws, strict=True))
            worst = max(worst, sum(gains))
    return worst


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("lie", [0.125, 0.25, 0.5, 0.75])
def test_the_profile_of_the_number_of_ones_is_that_of_all_outcomes(n, lie):
    for epsilon in (0, 1):
        direct = enumerated(n, lie, epsilon)
        found = responses.delta(n, Number(Fraction(lie)), Number(Fraction(epsilon)))
        assert float(found.mid()) == pytest.approx(direct, abs=1e-12)


def test_the_profile_agrees_with_the_one_of_the_mechanism():
    lie = 1 - 1 / (1 + Number(Fraction(-1)).exp())
    found = responses.delta(30, lie, Number(Fraction(1, 4)))
    assert float(found.mid()) == pytest.approx(amplified_delta(30, 1.0, 0.25), rel=1e-7)


def test_a_certificate_does_not_tell_of_a_larger_crowd_or_of_less():
    claim = ApproxDP(0.25, amplified_delta(20, 1.0, 0.25))
    content = dpaudit.verify(shuffled_reports, claim, TWENTY).certificate.to_dict()
    assert check(content).accepted
    for path, text in (
        (("proof", "spent"), "(1/8, 0)"),
        (("proof", "allowed"), "(1/2, 1)"),
        (("proof", "rule"), "sums of epsilon and of delta"),
        (("proof", "releases", 0, "epsilon"), "1/2"),
    ):
        assert not check(changed(content, path, lambda _, text=text: text)).accepted, path
