"""Sums of many coins, of which some are shared: convolved, and the same as path by path."""

import numpy as np
import pytest

from audits.local import many_reports, rounded_up
from dpaudit import AnyPair, Categorical, PureDP
from dpaudit.checker.exact import generator
from dpaudit.checker.exact.numbers import precisely
from dpaudit.formal.exact import ExactProof
from dpaudit.formal.refutation import Counterexample
from dpaudit.formal.unsupported import Unsupported
from mechanisms.flawed.rappor_without_memo import rappor_without_memo
from mechanisms.rappor import rappor, spent
from tests.checking import check
from tests.exact_laws import certificate, decide, law

BITS = AnyPair(Categorical([0, 1]))
FAR_FILTERS = AnyPair(Categorical([1, 5]))


def of_fair_and_other_coins(bit, rng):
    return (rng.random((4, 2)) < np.array([0.5, 0.25 + 0.5 * bit])).astype(int).sum(axis=0)


def of_coins_for_a_shared_one(bit, rng):
    told = np.where(rng.random(2) < 0.75, bit, 1 - bit)
    return (rng.random((3, 2)) < np.where(told == 1, 0.75, 0.5)).astype(int).sum(axis=0)


def of_coins_and_numbers(bit, rng):
    coins = np.where(rng.random(4) < 0.25, 3, -2)
    return int(np.where(np.arange(4) == 2, bit, coins).sum())


def of_all_coins_of_a_table(bit, rng):
    told = np.where(rng.random((1, 3)) < 0.75, bit, 0)
    return (told + (rng.random((2, 3)) < 0.5)).sum()


@pytest.mark.parametrize("bit", [0, 1])
@pytest.mark.parametrize(
    "mechanism",
    [
        of_fair_and_other_coins,
        of_coins_for_a_shared_one,
        of_coins_and_numbers,
        of_all_coins_of_a_table,
    ],
)
def test_a_convolved_sum_has_the_distribution_that_all_paths_give(mechanism, bit, monkeypatch):
    monkeypatch.setattr(generator, "MANY", 100)
    plain = law(mechanism, bit)
    monkeypatch.setattr(generator, "MANY", 0)
    convolved = law(mechanism, bit)
    with precisely():
        assert set(convolved) == set(plain)
        assert all(convolved[key] == plain[key] for key in plain)
        assert sum(plain.values()) == 1


def sum_and_a_coin(bit, rng):
    coins = (rng.random(20) < 0.5).astype(int)
    return [coins.sum() + bit, coins[0]]


def two_sums_of_the_same_coins(bit, rng):
    coins = (rng.random(20) < 0.5).astype(int)
    return [coins.sum() + bit, coins.sum()]


@pytest.mark.parametrize("mechanism", [sum_and_a_coin, two_sums_of_the_same_coins])
def test_coins_of_a_sum_that_are_looked_at_otherwise_are_not_independent(mechanism):
    """The sum is 21 (or all coins tell the record) on one dataset alone."""
    try:
        found = decide(mechanism, PureDP(3.0), BITS, seconds=5)
    except Unsupported:
        return
    assert isinstance(found, Counterexample)
    assert "bounds infinity by" in found.certified


def a_month(value, rng):
    return rappor(value, rng, reports=30, f=0.9, p=0.25, q=0.75).sum(axis=0)


def a_month_that_forgets(value, rng):
    return rappor_without_memo(value, rng).sum(axis=0)


def test_a_month_of_reports_costs_less_than_what_is_remembered():
    proof = decide(a_month, many_reports, FAR_FILTERS)
    assert isinstance(proof, ExactProof)
    result = check(certificate(a_month, many_reports, FAR_FILTERS))
    assert result.accepted, result.reason
    smaller = PureDP(0.99 * many_reports.epsilon)
    assert isinstance(decide(a_month, smaller, FAR_FILTERS), Counterexample)


def test_a_month_in_which_the_permanent_answer_is_forgotten_costs_more():
    assert isinstance(decide(a_month_that_forgets, many_reports, FAR_FILTERS), Counterexample)


def test_one_report_of_a_filter_costs_its_claim_and_no_less():
    def one(value, rng):
        return rappor(value, rng)

    claim = rounded_up(spent(0.75, 0.45, 0.55))
    assert isinstance(decide(one, PureDP(claim), FAR_FILTERS), ExactProof)
    assert isinstance(decide(one, PureDP(0.999 * claim), FAR_FILTERS), Counterexample)
