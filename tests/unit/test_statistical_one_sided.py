"""Bets on outputs of one side alone: what they pay, and what is remembered."""

import math

import numpy as np
import pytest

from dpaudit.claims import ApproxDP, GaussianDP, PureDP
from dpaudit.outputs import encode, encode_rows
from dpaudit.statistical.book import Book, Labels, PairsOfDraws, Stakes
from dpaudit.statistical.contender import Contender
from dpaudit.statistical.earned import BOTH, Earned, either_or_both, together
from dpaudit.statistical.one_sided import (
    CELLS,
    DENSE,
    KINDS,
    LEFT,
    NEAR_LEFT,
    NEAR_RIGHT,
    REST,
    RIGHT,
    SHARE,
    WEIGHTS,
    WORDS,
    OneSided,
    kinds,
    label_bets,
    pair_bets,
)
from dpaudit.worker import Draws


def rows(*values):
    return encode_rows(np.array(values))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0])
def test_a_sighting_pays_nearly_what_any_bet_can_be_paid(epsilon):
    most = math.log1p(math.exp(-epsilon))
    labels = np.zeros((2, CELLS), dtype=np.int64)
    labels[1, RIGHT] = 1
    assert 0.95 * most < label_bets(labels, epsilon).max() <= most
    pairs = np.zeros((CELLS, CELLS), dtype=np.int64)
    pairs[REST, RIGHT] = 1
    stakes = Stakes.of(PureDP(epsilon))
    assert 0.95 * most < pair_bets(pairs, stakes.slopes, stakes.deltas).max() <= most


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
@pytest.mark.parametrize("cell", [LEFT, NEAR_LEFT, REST, NEAR_RIGHT, RIGHT])
def test_label_bets_are_fair_at_the_allowed_posteriors(epsilon, cell):
    """A cell's mean payment is at most one at both ends of the allowed interval."""
    for posterior in (1 / (1 + math.exp(epsilon)), 1 / (1 + math.exp(-epsilon))):
        mean = np.zeros(len(WEIGHTS))
        for label, weight in ((0, 1 - posterior), (1, posterior)):
            counts = np.zeros((2, CELLS), dtype=np.int64)
            counts[label, cell] = 1
            mean += weight * np.exp(label_bets(counts, epsilon))
        assert np.all(mean <= 1 + 1e-12)


def test_pair_bets_are_fair_on_the_boundary_of_the_claim():
    """Over independent draws with p − e^ε q = δ in either direction, factors have mean at most
    one and are never negative."""
    epsilon, delta, q = 0.5, 0.02, 0.03
    p = math.exp(epsilon) * q + delta
    stakes = Stakes.of(ApproxDP(epsilon, delta))
    far = ([p, 0, 1 - p - q, 0, q], [q, 0, 1 - p - q, 0, p])
    near = ([0, p, 1 - p - q, q, 0], [0, q, 1 - p - q, p, 0])
    mixed = (
        [p / 2, p / 2, 1 - p - q, q / 3, 2 * q / 3],
        [q / 2, q / 2, 1 - p - q, p / 3, 2 * p / 3],
    )
    alone = ([delta, 0, 1 - delta, 0, 0], [0, 0, 1, 0, 0])
    for x, y in (far, near, mixed, alone):
        mean = np.zeros(len(WEIGHTS))
        for i in range(CELLS):
            for j in range(CELLS):
                counts = np.zeros((CELLS, CELLS), dtype=np.int64)
                counts[i, j] = 1
                logs = pair_bets(counts, stakes.slopes, stakes.deltas)
                assert np.all(np.isfinite(logs))
                mean += x[i] * y[j] * np.exp(logs)
        assert np.all(mean <= 1 + 1e-6)  # δ is rounded up


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(1.0, 0.1), GaussianDP(1.0)])
def test_capital_sums_to_one(claim):
    one_sided, stakes = OneSided(), Stakes.of(claim)
    drawn = [PairsOfDraws() if stakes.epsilon is None else Labels(), PairsOfDraws()]
    books = [Book(kind, one_sided) for kind in drawn]
    for parts in (KINDS, DENSE, WORDS):
        assert sum(parts) == pytest.approx(1.0)
        streams = [Earned(b.log_wealth(stakes), b.one_sided_bets(stakes), parts) for b in books]
        for some in (streams[:1], streams[1:], streams):
            assert together(some) == pytest.approx(0.0, abs=1e-12)


def test_capital_for_outputs_of_one_side_goes_by_what_outputs_are():
    """Numbers that recur, and numbers beside others, may be tokens; a density has none."""
    rng = np.random.default_rng(0)
    assert kinds(encode(list(rng.normal(size=32)))) == DENSE
    assert kinds(encode([*rng.normal(size=31), None])) == DENSE
    assert kinds(encode([*rng.normal(size=30), 7.0, 7.0])) == KINDS
    assert kinds(encode([*rng.normal(size=30), math.nan, math.nan])) == KINDS
    assert kinds(encode_rows(rng.integers(0, 9, 32))) == KINDS
    assert kinds(encode_rows(rng.normal(size=(32, 2)))) == KINDS
    assert kinds(encode(["a", "b"] * 16)) == WORDS


@pytest.mark.parametrize("low_bits", [False, True])
def test_kinds_of_outputs_are_known_from_the_first_batch_on(low_bits):
    """With low-order bits, grids are tokens even of numbers that do not recur."""
    rng = np.random.default_rng(0)
    one = Contender(None, 0, ("label", "coupled"), (0,), vectorized=True, low_bits=low_bits)
    outputs, labels = encode_rows(rng.normal(size=32)), rng.integers(0, 2, 32)
    one.take(Draws("label", 32, 32, 0.0, labels, None, None, outputs, frozenset()))
    stakes = Stakes.of(PureDP(1.0))
    expected = KINDS if low_bits else DENSE
    assert {one.earned(mode, stakes).kinds for mode in one.modes} == {expected}


def test_a_bet_on_outputs_of_one_side_has_most_of_its_capital_on_all_streams_together():
    bets = np.zeros(2 * len(WEIGHTS))
    bets[0] = 3.0
    one, other = Earned(0.0, bets), Earned(0.0, bets + 1.0)
    part = SHARE * KINDS[0] * WEIGHTS[0]
    capital = part * (BOTH * math.exp(7) + (1 - BOTH) / 2 * (math.exp(3) + math.exp(4)))
    rest = SHARE * (1 - KINDS[0] * WEIGHTS[0]) * (BOTH * math.e + (1 - BOTH) / 2 * (1 + math.e))
    assert together([one, other]) == pytest.approx(math.log(1 - SHARE + capital + rest))


def test_draws_that_are_no_evidence_take_what_they_had_multiplied_with_them():
    """The other stream keeps no more than it has earned with its own part of the capital."""
    stream = Earned(2.0, np.full(2 * len(WEIGHTS), 5.0))
    left = (1 - SHARE) / 3 * math.exp(2) + SHARE * (1 - BOTH) / 2 * math.exp(5)
    void = Earned(-np.inf, np.full(2 * len(WEIGHTS), -np.inf))
    assert together([stream, void]) == pytest.approx(math.log(left))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_one_more_draw_of_either_stream_gains_nothing_at_the_edge_of_the_claim(epsilon):
    """Exact means of the wealth of a pair, whatever both streams have seen before."""
    stakes, rng = Stakes.of(PureDP(epsilon)), np.random.default_rng(0)
    q = np.array([0.02, 0.03, 0.0, 0.0, 0.0])
    left = math.exp(epsilon) * q + q[::-1]
    left[REST] = right_rest = 1 - left.sum()
    right = left[::-1]
    assert right[REST] == right_rest
    for _ in range(20):
        labels = rng.integers(0, 4, (2, CELLS))
        pairs = rng.integers(0, 3, (CELLS, CELLS))

        def wealth(labels, pairs):
            bets = label_bets(labels, epsilon), pair_bets(pairs, stakes.slopes, stakes.deltas)
            return math.exp(together([Earned(0.3, np.tile(each, 2)) for each in bets]))

        now = wealth(labels, pairs)
        more = 0.0
        for label, law in enumerate((left, right)):
            for cell in range(CELLS):
                seen = labels.copy()
                seen[label, cell] += 1
                more += law[cell] / 2 * wealth(seen, pairs)
        assert more <= now * (1 + 1e-9)
        more = 0.0
        for x in range(CELLS):
            for y in range(CELLS):
                seen = pairs.copy()
                seen[x, y] += 1
                more += left[x] * right[y] * wealth(labels, seen)
        assert more <= now * (1 + 1e-9)


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


def test_nothing_is_one_sided_before_either_side_was_seen():
    """Whichever side comes first, the type of its outputs would else be taken for its own."""
    one_sided = OneSided()
    one_sided.observe(0, rows(0.25, 0.5, 0.75, 1.25))
    assert not one_sided.found
    one_sided.observe(1, rows(1.5, 1.5, 1.75))
    assert not one_sided.found
    one_sided.observe(1, rows(2.25))
    assert one_sided.assign(rows(1.5, 0.5)).tolist() == [RIGHT, REST]
