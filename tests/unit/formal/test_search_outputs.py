# ruff: noqa: NPY002 - as people draw
"""Counterexamples of programs that return tables, or that draw several choices at once."""

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, AnyPair, Categorical, Integer, PureDP, ReplaceOne, Row, Verdict

AGES = ReplaceOne(Row(age=Integer(0, 90)), size=3, container="pandas")
GROUPS = AddRemove(Row(group=Categorical(["a", "b"])), container="pandas", max_size=4)
VOTES = ReplaceOne(Integer(0, 2), size=4)
BIT = AnyPair(Integer(0, 1))


def one_draw_for_a_series(frame):
    return frame["age"] + np.random.laplace(scale=90.0)


def one_draw_for_a_frame(frame):
    return frame[["age"]] + np.random.laplace(scale=90.0)


def counts_of_the_groups_that_occur(frame):
    counts = frame["group"].value_counts()
    return counts + np.random.laplace(scale=1.0, size=len(counts))


def scales_in_an_array(votes, rng, scale=1.0):
    counts = np.bincount(votes, minlength=3)
    return np.argmax(counts + rng.laplace(np.zeros(3), np.full(3, scale), 3))


def sums_with_scales_in_an_array(votes, rng, scale=1.0):
    counts = np.bincount(votes, minlength=3)
    return counts + rng.laplace(0.0, np.array([scale, scale, scale]))


def coins_in_an_array(bit, rng, ones=1):
    coins = rng.choice([0, 1], size=3, p=[0.25, 0.75])
    return bit * ones + coins.sum()


def places_that_differ(bit, rng):
    first, second = rng.choice(3, size=2, replace=False)
    return bool(first == bit) and bool(second == 2)


def heads_of_several_coins(bit, rng):
    return int(rng.binomial(4 + bit, 0.5))


REFUTED = [
    (one_draw_for_a_series, AGES),
    (one_draw_for_a_frame, AGES),
    (counts_of_the_groups_that_occur, GROUPS),
    (scales_in_an_array, VOTES),
    (sums_with_scales_in_an_array, VOTES),
    (coins_in_an_array, BIT),
    (heads_of_several_coins, BIT),
]


@pytest.mark.parametrize(
    ("mechanism", "neighbors"), REFUTED, ids=lambda m: getattr(m, "__name__", "")
)
def test_what_breaks_its_claim_is_refuted_from_its_source(mechanism, neighbors):
    report = dpaudit.verify(mechanism, PureDP(1.0), neighbors)
    assert report.verdict is Verdict.REFUTED, report.reason


def private_scales(votes, rng):
    return sums_with_scales_in_an_array(votes, rng, scale=2.0)


def no_bit(bit, rng):
    return coins_in_an_array(bit, rng, ones=0)


@pytest.mark.parametrize(
    ("mechanism", "neighbors"),
    [(private_scales, VOTES), (no_bit, BIT), (places_that_differ, BIT)],
    ids=lambda m: getattr(m, "__name__", ""),
)
def test_what_keeps_its_claim_is_not_refuted(mechanism, neighbors):
    report = dpaudit.verify(mechanism, PureDP(1.0), neighbors)
    assert report.verdict is not Verdict.REFUTED
