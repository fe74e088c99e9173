"""Bets on outputs of one side alone: what they pay, and what is remembered."""

import math

import numpy as np
import pytest

from dpaudit.claims import ApproxDP, PureDP
from dpaudit.outputs import encode_rows
from dpaudit.statistical.book import Book, Labels, PairsOfDraws, Stakes
from dpaudit.statistical.numerics import either_or_both
from dpaudit.statistical.one_sided import (
    LEFT,
    REST,
    RIGHT,
    OneSided,
    label_bets,
    pair_bets,
)


def rows(*values):
    return encode_rows(np.array(values))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0])
def test_a_sighting_pays_nearly_what_any_bet_can_be_paid(epsilon):
    most = math.log1p(math.exp(-epsilon))
    labels = np.zeros((2, 3), dtype=np.int64)
    labels[1, RIGHT] = 1
    assert 0.95 * most < label_bets(labels, epsilon).max() <= most
    pairs = np.zeros((3, 3), dtype=np.int64)
    pairs[REST, RIGHT] = 1
    stakes = Stakes.of(PureDP(epsilon))
    assert 0.95 * most < pair_bets(pairs, stakes.slopes, stakes.deltas).max() <= most


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
@pytest.mark.parametrize("cell", [LEFT, REST, RIGHT])
def test_label_bets_are_fair_at_the_allowed_posteriors(epsilon, cell):
    """A cell's mean payment is at most one at both ends of the allowed interval."""
    for posterior in (1 / (1 + math.exp(epsilon)), 1 / (1 + math.exp(-epsilon))):
        mean = np.zeros(4)
        for label, weight in ((0, 1 - posterior), (1, posterior)):
            counts = np.zeros((2, 3), dtype=np.int64)
            counts[label, cell] = 1
            mean += weight * np.exp(label_bets(counts, epsilon))
        assert np.all(mean <= 1 + 1e-12)


def test_pair_bets_are_fair_on_the_boundary_of_the_claim():
    """Over independent draws with p − e^ε q = δ in either direction, factors have mean at most
    one and are never negative."""
    epsilon, delta, q = 0.5, 0.02, 0.03
    p = math.exp(epsilon) * q + delta
    stakes = Stakes.of(ApproxDP(epsilon, delta))
    for x, y in (([p, 1 - p - q, q], [q, 1 - p - q, p]), ([delta, 1 - delta, 0], [0, 1, 0])):
        mean = np.zeros(6)
        for i in range(3):
            for j in range(3):
                counts = np.zeros((3, 3), dtype=np.int64)
                counts[i, j] = 1
                logs = pair_bets(counts, stakes.slopes, stakes.deltas)
                assert np.all(np.isfinite(logs))
                mean += x[i] * y[j] * np.exp(logs)
        assert np.all(mean <= 1 + 1e-6)  # δ is rounded up


@pytest.mark.parametrize("kind", [Labels(), PairsOfDraws()])
def test_capital_sums_to_one(kind):
    book = Book(kind, OneSided())
    assert book.log_wealth(Stakes.of(PureDP(1.0))) == pytest.approx(0.0, abs=1e-12)


def test_an_output_with_tokens_of_both_sides_is_in_no_one_sided_cell():
    one_sided = OneSided()
    for _ in range(2):
        one_sided.observe(0, rows([1.0, 5.0], [1.0, 6.0]))
        one_sided.observe(1, rows([2.0, 7.0], [2.0, 8.0]))
    cells = one_sided.assign(rows([1.0, 9.0], [9.0, 7.0], [1.0, 7.0], [9.0, 9.0]))
    assert cells.tolist() == [LEFT, RIGHT, REST, REST]


def test_a_value_that_recurs_is_found_among_many_that_do_not():
    rng = np.random.default_rng(0)
    one_sided = OneSided()
    for _ in range(20):
        one_sided.observe(0, encode_rows(rng.normal(size=500)))
        one_sided.observe(1, encode_rows(np.append(rng.normal(size=500), 0.25)))
    assert one_sided.assign(rows(0.25, 0.75)).tolist() == [RIGHT, REST]


def test_numbers_that_a_common_seed_gives_once_on_each_side_take_no_place():
    """A fresh seed fails where a number that comes twice has the place of 0.25: below 1e-8."""
    tokens, rng = OneSided(), np.random.default_rng(0)
    for _ in range(16):
        noise = rows(*rng.laplace(size=2**18))
        tokens.observe(0, noise)
        tokens.observe(1, noise)
    tokens.observe(1, rows(0.25, 0.25))
    assert tokens.assign(rows(0.25, 0.5)).tolist() == [RIGHT, REST]


def test_evidence_of_streams_is_their_average_and_their_product():
    assert either_or_both([3.0]) == 3.0
    assert either_or_both([0.0, 0.0]) == pytest.approx(0.0)
    wealths = 2.0, 5.0
    assert either_or_both(np.log(wealths).tolist()) == pytest.approx(math.log((2 + 5 + 10) / 3))
