"""Sums of many coins, of which some are shared: convolved, and the same as path by path."""

import math

import numpy as np
import pytest

from audits.local import many_reports, rounded_up
from dpaudit import AnyPair, Categorical, PureDP
from dpaudit.formal.clock import now
from dpaudit.formal.engine import certificate_of
from dpaudit.formal.enumeration import summing
from dpaudit.formal.enumeration.measures import distribution, expanded
from dpaudit.formal.exact import ExactProof, Refutation, prove_exact
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from mechanisms.flawed.rappor_without_memo import rappor_without_memo
from mechanisms.rappor import rappor, spent
from tests.checking import check

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
def test_a_convolved_sum_has_the_distribution_that_all_cells_give(mechanism, bit, monkeypatch):
    program = lift(mechanism)
    monkeypatch.setattr(summing, "_AS_THEY_ARE", math.inf)
    plain = expanded(distribution(program, bit)).points
    monkeypatch.setattr(summing, "_AS_THEY_ARE", 0)
    assert expanded(distribution(program, bit)).points == plain
    assert sum(plain.values()) == 1


def sum_and_a_coin(bit, rng):
    coins = (rng.random(20) < 0.5).astype(int)
    return [coins.sum() + bit, coins[0]]


def coin_that_is_known_and_a_sum(bit, rng):
    coins = (rng.random(20) < 0.5).astype(int)
    return coins.sum() if coins[0] else bit


def two_sums_of_the_same_coins(bit, rng):
    coins = (rng.random(20) < 0.5).astype(int)
    return [coins.sum() + bit, coins.sum()]


@pytest.mark.parametrize(
    "mechanism", [sum_and_a_coin, coin_that_is_known_and_a_sum, two_sums_of_the_same_coins]
)
def test_noise_of_a_sum_that_is_looked_at_otherwise_is_refused(mechanism):
    with pytest.raises(Unsupported, match="noise that is used twice"):
        distribution(lift(mechanism), 1)


def a_month(value, rng):
    return rappor(value, rng, reports=30, f=0.9, p=0.25, q=0.75).sum(axis=0)


def a_month_that_forgets(value, rng):
    return rappor_without_memo(value, rng).sum(axis=0)


def decided(mechanism, claim, neighbors):
    return prove_exact(lift(mechanism), claim, neighbors, deadline=now() + 60)


def test_a_month_of_reports_costs_less_than_what_is_remembered():
    proof = decided(a_month, many_reports, FAR_FILTERS)
    assert isinstance(proof, ExactProof)
    subject, program = Subject.of(a_month), lift(a_month)
    found = certificate_of(subject, many_reports, FAR_FILTERS, program, proof)
    result = check(found.to_dict())
    assert result.accepted, result.reason
    smaller = PureDP(0.99 * many_reports.epsilon)
    assert isinstance(decided(a_month, smaller, FAR_FILTERS), Refutation)


def test_a_month_in_which_the_permanent_answer_is_forgotten_costs_more():
    assert isinstance(decided(a_month_that_forgets, many_reports, FAR_FILTERS), Refutation)


def test_one_report_of_a_filter_costs_its_claim_and_no_less():
    def one(value, rng):
        return rappor(value, rng)

    claim = rounded_up(spent(0.75, 0.45, 0.55))
    assert isinstance(decided(one, PureDP(claim), FAR_FILTERS), ExactProof)
    assert isinstance(decided(one, PureDP(0.999 * claim), FAR_FILTERS), Refutation)
