"""Bets on labels along curves: fair at the claim, whatever the cells, and early where they fit."""

import math

import numpy as np
import pytest

from dpaudit.claims import PureDP
from dpaudit.outputs import Columns, encode_rows
from dpaudit.statistical.book import Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.features import distance_partition, value_partition
from dpaudit.statistical.partition import DistancePartition
from dpaudit.statistical.ramp import FAMILIES, Curves, _scale, _shift
from dpaudit.worker import Draws

ROUNDING = 1e-9
MIDDLES = (np.arange(64) + 0.5) / 64


def followed(rng, sizes=(32, 200)):
    """Curves that have counted some draws in each of several periods."""
    curves = Curves()
    for size in sizes:
        sample = encode_rows(rng.standard_cauchy(size))
        distances = distance_partition(sample, "", 8)
        assert distances is not None
        curves.follow([value_partition(sample, "", 8), distances], sample)
        labels = rng.integers(0, 2, size).astype(np.uint8)
        curves.add_labelled(encode_rows(rng.standard_cauchy(size) * (1 + labels)), labels)
    return curves


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0, 400.0])
def test_one_more_label_gains_nothing_at_any_allowed_posterior(epsilon):
    posterior = 1 / (1 + math.exp(-epsilon))
    rng = np.random.default_rng(3)
    curves = followed(rng)
    before = curves.log_wealth(epsilon)
    for output in (-1e308, -3.0, -0.1, 0.0, 0.2, 5.0, 1e308):
        after = []
        for label in (0, 1):
            outputs = encode_rows(np.array([output]))
            curves.add_labelled(outputs, np.array([label], dtype=np.uint8))
            after.append(math.exp(curves.log_wealth(epsilon) - before))
            for period in curves.periods[-2:]:
                period.counts[label, period.partition.assign(outputs)] -= 1
        for pi in (posterior, 1 - posterior):  # linear between
            assert pi * after[1] + (1 - pi) * after[0] <= 1 + ROUNDING


def test_wealth_of_no_draws_is_one():
    assert Curves().log_wealth(1.0) == pytest.approx(0)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_shift_favors_the_larger_answer_above_the_middle(family):
    odds = _shift(family, 0.7, MIDDLES)
    assert np.allclose(odds, -odds[::-1], atol=1e-3)
    assert np.all(odds[32:] >= 0)


def test_log_odds_of_shifted_laplace_noise_are_the_claim_outside_the_answers():
    odds = _shift("laplace", 0.5, MIDDLES)
    outside = np.minimum(MIDDLES, 1 - MIDDLES) < (1 + math.exp(-0.5)) / 4
    assert np.allclose(np.abs(odds[outside]), 0.5, atol=1e-6)
    assert np.all(np.abs(odds) <= 0.5 + 1e-12)


def test_log_odds_of_two_scales_are_those_of_their_densities():
    z = 3.0
    mixture = 1 - (math.exp(-z) + math.exp(-z / 2)) / 2
    odds = _scale("laplace", 2.0, np.array([0.0, mixture]).tobytes())
    expected = [-math.log(2), z / 2 - math.log(2)]  # of the wider one
    assert odds == pytest.approx(expected, abs=2e-3)


def test_bets_go_on_in_new_cells_with_what_they_have_earned():
    rng = np.random.default_rng(1)
    whole = followed(rng, (300, 300))
    parts = []
    for start in (0, 2):
        part = Curves()
        part.periods = whole.periods[start : start + 2]
        parts.append(part.log_wealth(0.1))
    assert whole.log_wealth(0.1) > sum(parts)  # which start from their first weights each time


def test_both_tails_share_their_cells():
    sample = encode_rows(np.linspace(-3, 5, 81))
    partition = distance_partition(sample, "", 4)
    assert isinstance(partition, DistancePartition)
    assert partition.center == pytest.approx(1.0)
    left, right = encode_rows(1 - np.arange(5.0)), encode_rows(1 + np.arange(5.0))
    assert np.array_equal(partition.assign(left), partition.assign(right))
    ends = partition.assign(encode_rows(np.array([1e308, -1e308, math.nan])))
    assert ends.tolist() == [partition.cells - 2, partition.cells - 2, partition.cells - 1]


@pytest.mark.parametrize("values", [np.full(40, 2.0), np.tile([0.0, 1.0], 20), np.full(40, np.nan)])
def test_few_distances_are_no_order(values):
    assert distance_partition(Columns(40, {"": values}), "", 16) is None


def taken(outputs, labels):
    contender = Contender(None, 0, ("label",), (0,), vectorized=True)
    size = len(outputs)
    contender.take(
        Draws(
            mode="label",
            size=size,
            calls=size,
            seconds=0.0,
            labels=labels,
            left=None,
            right=None,
            outputs=encode_rows(outputs),
            flags=frozenset(),
        )
    )
    return contender


def test_the_first_cells_do_not_depend_on_the_labels_that_are_bet_on():
    rng = np.random.default_rng(2)
    outputs = rng.laplace(size=32)
    coins = [rng.integers(0, 2, 32).astype(np.uint8) for _ in range(2)]
    first, second = (taken(outputs, labels).books["label"].curves.periods for labels in coins)
    assert [period.places for period in first] == [period.places for period in second]
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.partition.edges, other.partition.edges)


@pytest.mark.parametrize("scales", [(1.0, 2.0), (2.0, 1.0)])
def test_noise_of_two_scales_is_found_in_few_draws(scales):
    """With 400 calls; of 300 other seeds at most 11 failed."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 400).astype(np.uint8)
    outputs = rng.laplace(size=400) * np.where(labels == 1, scales[1], scales[0])
    contender = taken(outputs[:32], labels[:32])
    book = contender.books["label"]
    book.add_labelled(encode_rows(outputs[32:]), labels[32:])
    assert book.curves.log_wealth(0.1) > math.log(20)
    assert book.log_wealth(Stakes.of(PureDP(0.1))) > math.log(8)
